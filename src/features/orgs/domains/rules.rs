//! Rules for names of domains and for their TXT records.

use std::net::IpAddr;

use idna::AsciiDenyList;
use idna::uts46::DnsLength;
use idna::uts46::Hyphens;
use idna::uts46::Uts46;

use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum number of domains of an organization. The list of domains has no pages.
pub const MAX_DOMAINS: u32 = 100;

/// Maximum length of the input in bytes. A name of 253 ASCII characters has at most 253 characters
/// of four bytes in Unicode.
const MAX_INPUT_BYTES: usize = 4 * 253;

/// Start of a record value. The rest is the token.
const RECORD_PREFIX: &str = "chartroom-domain-verification=";
/// Number of base62 characters of the token (190 bits).
const TOKEN_CHARS: usize = 32;

/// Maximum number of stored values of a lookup.
const MAX_FOUND_VALUES: usize = 10;
/// Maximum number of characters of a stored value.
const MAX_FOUND_CHARS: usize = 255;

/// Characters that separate labels (UTS #46).
const DOTS: [char; 4] = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'];

/// File with the domains of public mail providers, one per line. Lines with `#` are comments.
const MAIL_PROVIDERS: &str = "free_mail_domains.txt";

/// Parses the name of a domain that an organization wants to verify, and returns it in ASCII.
///
/// # Errors
/// `InvalidFields` for `domain`: not a domain name, an IP address, a single label, a public suffix,
/// or a domain of a public mail provider or below one.
pub fn parse_domain(text: &str) -> Result<String> {
    let invalid = |message: &str| Err(Error::invalid_field("domain", message));
    let text = text.trim();
    if text.is_empty() {
        return invalid("must not be empty");
    }
    if text.contains('*') {
        return invalid("must not contain a wildcard; each subdomain is verified separately");
    }
    if is_ip_address(text) {
        return invalid("must be a domain name, not an IP address");
    }
    let Some(name) = to_ascii(text) else {
        return invalid(
            "must be a domain name such as example.org, with at most 253 characters in ASCII",
        );
    };
    if is_ip_address(&name) {
        return invalid("must be a domain name, not an IP address");
    }
    if !name.contains('.') {
        return invalid("must have at least two labels, such as example.org");
    }
    let Some(registrable) = psl::domain_str(&name) else {
        return invalid("must not be a public suffix, because others register domains below it");
    };
    if is_mail_provider(registrable) {
        return invalid("must not be a domain of a public mail provider");
    }
    Ok(name)
}

/// Converts the name of a domain to ASCII in lower case, without the dot at its end. Returns None
/// if it is not the name of a host.
pub fn to_ascii(name: &str) -> Option<String> {
    if name.len() > MAX_INPUT_BYTES {
        return None;
    }
    let name = name.strip_suffix(DOTS).unwrap_or(name);
    // Hyphens in the third and fourth position are common in real names.
    let (deny, hyphens) = (AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    let ascii = Uts46::new().to_ascii(name.as_bytes(), deny, hyphens, DnsLength::Verify);
    Some(ascii.ok()?.into_owned())
}

/// Returns the domain of an e-mail address in ASCII. None if the address has no valid domain.
pub fn domain_of_address(email: &str) -> Option<String> {
    let (local, domain) = email.trim().rsplit_once('@')?;
    if local.is_empty() { None } else { to_ascii(domain) }
}

/// Returns whether a text is an IP address, in brackets or not, or a name with a number as its last
/// label, which browsers read as an IPv4 address.
fn is_ip_address(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let last = text.rsplit('.').next().unwrap_or_default();
    let is_number = |label: &str| match label.strip_prefix("0x").or(label.strip_prefix("0X")) {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()),
    };
    bare.parse::<IpAddr>().is_ok() || is_number(last)
}

/// Returns whether a registrable domain belongs to a public mail provider.
fn is_mail_provider(registrable: &str) -> bool {
    mail_providers().any(|line| line == registrable)
}

/// Returns the registrable domains of public mail providers.
fn mail_providers() -> impl Iterator<Item = &'static str> {
    let bytes = assets::embedded_file(MAIL_PROVIDERS).unwrap_or_default();
    let lines = std::str::from_utf8(bytes).unwrap_or_default().lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Generates the text of the TXT record for a new domain.
///
/// # Errors
/// If the system provides no random numbers.
pub fn generate_record_value() -> Result<String> {
    Ok(format!("{RECORD_PREFIX}{}", crypto::random_base62(TOKEN_CHARS)?))
}

/// Returns whether one of the TXT records is `record_value`. Ignores white space and quotes around
/// it, which some administration pages of name servers store with it.
pub fn contains_record(records: &[String], record_value: &str) -> bool {
    let is_decoration = |character: char| character.is_whitespace() || character == '"';
    records.iter().any(|record| record.trim_matches(is_decoration) == record_value)
}

/// Returns the values to store of a lookup, at most 10 of at most 255 characters. Those that
/// resemble a record value come first, so that an outdated one is visible among many others.
pub fn summarize_records(records: &[String]) -> Vec<String> {
    let mut sorted: Vec<&String> = records.iter().collect();
    sorted.sort_by_key(|record| !record.contains(RECORD_PREFIX));
    let shorten = |record: &String| record.chars().take(MAX_FOUND_CHARS).collect();
    sorted.into_iter().take(MAX_FOUND_VALUES).map(shorten).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics unless the message of a refused name contains `part`.
    #[track_caller]
    fn check_refused(text: &str, part: &str) {
        let message = parse_domain(text).unwrap_err().to_string();
        assert!(message.starts_with("domain: ") && message.contains(part), "{text}: {message}");
    }

    #[test]
    fn names_are_normalized() {
        let check = |text: &str, want: &str| assert_eq!(parse_domain(text).unwrap(), want);
        check("example.org", "example.org");
        check(" Example.ORG. ", "example.org");
        check("bücher.example", "xn--bcher-kva.example");
        check("BÜCHER.example。", "xn--bcher-kva.example");
        check("xn--bcher-kva.example", "xn--bcher-kva.example");
        // A decomposed letter is the same name.
        check("bu\u{308}cher.example", "xn--bcher-kva.example");
        check("faß.de", "xn--fa-hia.de");
        check("mail.example.co.uk", "mail.example.co.uk");
        check("example.github.io", "example.github.io");
        check("r3---a.example.org", "r3---a.example.org");
        check("4.example.org", "4.example.org");
        check("corp.internal", "corp.internal");
    }

    #[test]
    fn names_that_are_no_domain_are_refused() {
        check_refused("", "must not be empty");
        check_refused(" \t", "must not be empty");
        for text in [
            "a..example.org",
            ".example.org",
            "example.org..",
            "exa mple.org",
            "-a.example.org",
            "a-.example.org",
            "a_b.example.org",
            "https://example.org",
            "example.org:80",
            "ann@example.org",
            "exa\u{0}mple.org",
            "xn--zzzzzz99999999.org",
            "fe80::1%eth0",
            &format!("{}.org", "a".repeat(64)),
            &"ü.".repeat(10_000),
        ] {
            check_refused(text, "must be a domain name such as example.org");
        }
        check_refused("*.example.org", "wildcard");
        check_refused("example.*", "wildcard");
        for text in ["localhost", "org", "org.", "bücher"] {
            check_refused(text, "at least two labels");
        }
    }

    #[test]
    fn a_name_has_at_most_253_bytes() {
        let name = |length: usize| {
            let labels = format!("{}.", "a".repeat(63)).repeat(3);
            format!("{labels}{}.org", "b".repeat(length - labels.len() - 4))
        };
        assert_eq!(name(253).len(), 253);
        assert_eq!(parse_domain(&name(253)).unwrap(), name(253));
        assert_eq!(parse_domain(&format!("{}.", name(253))).unwrap(), name(253));
        check_refused(&name(254), "at most 253 characters");
    }

    #[test]
    fn ip_addresses_are_refused() {
        for text in [
            "192.0.2.1",
            "192.0.2.1.",
            "192.0.2",
            "0x7f.0.0.0x1",
            "1.2.0X",
            "::1",
            "[2001:db8::1]",
            "example.4",
            "１９２.0.2.１",
        ] {
            check_refused(text, "not an IP address");
        }
    }

    #[test]
    fn public_suffixes_are_refused() {
        for text in ["co.uk", "CO.UK.", "github.io", "公司.cn", "xn--55qx5d.cn", "foo.ck"] {
            check_refused(text, "must not be a public suffix");
        }
    }

    #[test]
    fn domains_of_mail_providers_are_refused() {
        for text in ["gmail.com", "GMAIL.com.", "mail.gmail.com", "yahoo.co.uk", "qq.com"] {
            check_refused(text, "public mail provider");
        }
        assert_eq!(parse_domain("gmail.example.com").unwrap(), "gmail.example.com");
        assert_eq!(parse_domain("notgmail.com").unwrap(), "notgmail.com");
    }

    #[test]
    fn listed_mail_providers_are_sorted_registrable_domains() {
        let all: Vec<&str> = mail_providers().collect();
        assert!(all.len() > 200, "{}", all.len());
        for domain in &all {
            assert_eq!(to_ascii(domain).as_deref(), Some(*domain));
            assert_eq!(psl::domain_str(domain), Some(*domain));
        }
        assert!(all.is_sorted_by(|first, second| first < second), "not sorted or not unique");
    }

    #[test]
    fn the_domain_of_an_address_is_compared_in_ascii() {
        let check = |email: &str, want: Option<&str>| {
            assert_eq!(domain_of_address(email).as_deref(), want, "{email}");
        };
        check("ann@example.org", Some("example.org"));
        check("Ann@BÜCHER.Example", Some("xn--bcher-kva.example"));
        check("ann@xn--bcher-kva.example", Some("xn--bcher-kva.example"));
        check("a@b@example.org", Some("example.org"));
        // A look-alike letter is another domain.
        check("ann@ex\u{430}mple.org", Some("xn--exmple-4nf.org"));
        check("example.org", None);
        check("@example.org", None);
        check("ann@", None);
        check("ann@exam ple.org", None);
    }

    #[test]
    fn record_values_are_random_and_have_a_fixed_form() {
        let (first, second) = (generate_record_value().unwrap(), generate_record_value().unwrap());
        assert_ne!(first, second);
        let token = first.strip_prefix("chartroom-domain-verification=").unwrap();
        assert_eq!(token.len(), 32);
        assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{token}");
    }

    #[test]
    fn a_record_matches_as_a_whole() {
        let wanted = "chartroom-domain-verification=abc";
        let check = |record: &str, want: bool| {
            let records = ["v=spf1 -all".to_owned(), record.to_owned()];
            assert_eq!(contains_record(&records, wanted), want, "{record}");
        };
        check(wanted, true);
        check(&format!(" \"{wanted}\"\t"), true);
        check(&format!("\" {wanted}\""), true);
        check(&wanted.to_uppercase(), false);
        check(&format!("{wanted}d"), false);
        check(&format!("x{wanted}"), false);
        check("chartroom-domain- verification=abc", false);
        check("abc", false);
        check("", false);
        assert!(!contains_record(&[], wanted));
    }

    #[test]
    fn stored_values_are_few_and_short_with_similar_ones_first() {
        let mut records: Vec<String> = (0..20).map(|number| format!("record {number}")).collect();
        records.push(format!("{RECORD_PREFIX}outdated"));
        records.insert(0, "é".repeat(300));
        let stored = summarize_records(&records);
        assert_eq!(stored.len(), 10);
        assert_eq!(stored[0], format!("{RECORD_PREFIX}outdated"));
        assert_eq!(stored[1], "é".repeat(255));
        assert_eq!(stored[2], "record 0");
    }
}
