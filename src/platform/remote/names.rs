//! Lookups of DNS records other than addresses. Each lookup queries the name servers, because there
//! is no cache.

use std::net::SocketAddr;
use std::time::Duration;

use hickory_resolver::config::ResolveHosts;
use hickory_resolver::net::DnsError;
use hickory_resolver::net::NetError;
use hickory_resolver::net::NoRecords;
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::RData;
use hickory_resolver::proto::rr::rdata::TXT;

use super::resolver;
use crate::error::Error;
use crate::error::Result;

/// Maximum time of a lookup with all its queries.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(10);

/// Time until a query is sent again.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of times that a query is repeated without a response.
const QUERY_ATTEMPTS: usize = 2;

/// Returns the TXT records of `name`, a complete domain name in ASCII with or without the dot at its
/// end. The strings of one record are joined without a space. Returns no records if the name does
/// not exist or has no such records.
///
/// Queries `servers`, or the system's name servers if the list is empty. Follows CNAME records and
/// repeats the query over TCP after a truncated response. Blocks the thread for at most
/// `LOOKUP_TIMEOUT`. Do not call it in async code.
///
/// # Errors
/// `RemoteTimeout` if no name server responds in time. `NameServerFailed` if they fail or refuse the
/// query. Neither says anything about the records.
pub fn lookup_txt(servers: &[SocketAddr], name: &str) -> Result<Vec<String>> {
    let mut builder = resolver::resolver_builder(servers);
    let options = builder.options_mut();
    options.cache_size = 0;
    options.use_hosts_file = ResolveHosts::Never;
    options.timeout = QUERY_TIMEOUT;
    options.attempts = QUERY_ATTEMPTS;
    // The calling thread drives the lookup, so that no thread outlives it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Creating the resolver and the timer requires an entered runtime.
    let entered = runtime.enter();
    let resolver = builder.build().map_err(|error| Error::internal(error.to_string()))?;
    // Without the dot, the search list of the system would apply.
    let complete_name = format!("{}.", name.trim_end_matches('.'));
    let lookup = tokio::time::timeout(LOOKUP_TIMEOUT, resolver.txt_lookup(complete_name));
    drop(entered);
    match runtime.block_on(lookup) {
        Err(_) | Ok(Err(NetError::Timeout)) => Err(Error::RemoteTimeout),
        Ok(Ok(found)) => {
            Ok(found.answers().iter().filter_map(|record| txt_of(&record.data)).collect())
        }
        Ok(Err(error)) if is_answer_without_records(&error) => Ok(Vec::new()),
        Ok(Err(error)) => {
            tracing::debug!(name, %error, "a lookup of TXT records failed");
            Err(Error::NameServerFailed(describe_failure(name, &error)))
        }
    }
}

/// Returns the text of a TXT record, or None for a record of another type.
fn txt_of(data: &RData) -> Option<String> {
    let RData::TXT(TXT { txt_data, .. }) = data else { return None };
    Some(String::from_utf8_lossy(&txt_data.concat()).into_owned())
}

/// Returns whether the response says that there are no such records. A referral to other name
/// servers does not: a server that does not resolve names for us sends it.
fn is_answer_without_records(error: &NetError) -> bool {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(NoRecords { response_code, soa, ns, .. })) => {
            *response_code == ResponseCode::NXDomain || soa.is_some() || ns.is_none()
        }
        _ => false,
    }
}

/// Describes a failed lookup for the caller.
fn describe_failure(name: &str, error: &NetError) -> String {
    match error {
        NetError::Dns(DnsError::ResponseCode(code)) => {
            format!("the name servers could not look up {name}: {code}")
        }
        NetError::Dns(DnsError::NoRecordsFound(_)) => {
            format!("the name servers could not look up {name}: they refer to other servers")
        }
        _ => format!("the name servers could not be reached to look up {name}"),
    }
}
