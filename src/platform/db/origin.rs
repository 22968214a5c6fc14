//! The origin of a write: the actor, and the client that sent the request.
//!
//! A thread handles one request at a time. The HTTP server begins an [`OriginScope`] around each
//! handler, and [`Db::write`](super::Db::write) takes the origin of its thread along to the thread
//! that runs the transaction. Outside a scope, the origin is the server itself.

use std::cell::RefCell;
use std::net::IpAddr;
use std::sync::Arc;

use crate::id::AccountId;

/// Maximum number of characters of the `User-Agent` in an origin.
const MAX_USER_AGENT_CHARS: usize = 256;

thread_local! {
    /// The origin of the writes of this thread.
    static CURRENT: RefCell<Arc<WriteOrigin>> = RefCell::default();
}

/// The principal that causes a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WriteActor {
    /// The server itself, for example a background task.
    #[default]
    System,
    /// The operator on the command line.
    Operator,
    /// An HTTP client that is not authenticated, with or without a share link.
    Guest,
    /// An authenticated user.
    User(AccountId),
    /// An identity provider that provisions users with the API token of this user.
    Scim(AccountId),
}

/// The actor of a write and the client that sent the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteOrigin {
    /// Principal that causes the write.
    pub actor: WriteActor,
    /// Address of the client. None without a request.
    pub ip_address: Option<IpAddr>,
    /// `User-Agent` of the client, at most 256 characters. Empty without a request.
    pub user_agent: String,
}

impl WriteOrigin {
    /// Returns the origin of a request before its credentials are verified.
    pub fn of_request(ip_address: IpAddr, user_agent: &str) -> Self {
        let end = user_agent.char_indices().nth(MAX_USER_AGENT_CHARS).map(|(index, _)| index);
        let user_agent = user_agent[..end.unwrap_or(user_agent.len())].to_owned();
        Self { actor: WriteActor::Guest, ip_address: Some(ip_address), user_agent }
    }

    /// Returns the origin of a command on the command line.
    pub fn of_command() -> Self {
        Self { actor: WriteActor::Operator, ..Self::default() }
    }
}

/// A guard that sets the origin of the writes of the current thread until it is dropped, also
/// during a panic. Then the previous origin applies again.
pub struct OriginScope(Arc<WriteOrigin>);

impl OriginScope {
    /// Sets the origin of the current thread.
    pub fn begin(origin: WriteOrigin) -> Self {
        Self(CURRENT.replace(Arc::new(origin)))
    }
}

impl Drop for OriginScope {
    /// Restores the previous origin.
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

/// Sets the actor of the current thread until the end of the innermost [`OriginScope`]. Call it when
/// the credentials of a request are verified.
pub fn set_actor(actor: WriteActor) {
    CURRENT.with_borrow_mut(|origin| Arc::make_mut(origin).actor = actor);
}

/// Returns the origin of the writes of the current thread.
pub(crate) fn current() -> Arc<WriteOrigin> {
    CURRENT.with_borrow(Arc::clone)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn origin_applies_within_its_scope_on_its_thread() {
        let ip = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let origin_of_thread = || std::thread::spawn(current).join().unwrap();
        {
            let _request = OriginScope::begin(WriteOrigin::of_request(ip, &"agent ".repeat(100)));
            let before = current();
            assert_eq!((&before.actor, before.ip_address), (&WriteActor::Guest, Some(ip)));
            assert_eq!(before.user_agent.chars().count(), MAX_USER_AGENT_CHARS);
            set_actor(WriteActor::User(AccountId::from_text("1")));
            assert_eq!(current().actor, WriteActor::User(AccountId::from_text("1")));
            assert_eq!(before.actor, WriteActor::Guest, "a write keeps the origin of its call");
            {
                let _command = OriginScope::begin(WriteOrigin::of_command());
                assert_eq!(current().actor, WriteActor::Operator);
            }
            assert_eq!(current().actor, WriteActor::User(AccountId::from_text("1")));
            assert_eq!(*origin_of_thread(), WriteOrigin::default());
        }
        let panicked = std::panic::catch_unwind(|| {
            let _request = OriginScope::begin(WriteOrigin::of_request(ip, ""));
            panic!("a handler panics");
        });
        assert!(panicked.is_err());
        assert_eq!(*current(), WriteOrigin::default());
    }
}
