//! The open connections of all clients, and the choice of those to close when there are too many.
//!
//! Without it, one client could open so many connections that nobody else gets one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::Notify;

use super::activity::ConnectionActivity;
use crate::config::Config;

/// Part of the maximum number of connections that one client network may have: one quarter.
const CLIENT_SHARE: usize = 4;
/// Idle time up to which a connection of an account is kept although its client has too many. The pages
/// send a request every 5 s.
const ACCOUNT_IDLE_TIME: Duration = Duration::from_secs(10);

/// All open connections.
pub struct Connections {
    open: Mutex<OpenConnections>,
    max_per_client: usize,
    /// Networks of proxies. Their connections carry the requests of many clients.
    proxies: Vec<IpNet>,
    limits_loopback: bool,
}

#[derive(Default)]
struct OpenConnections {
    next_id: u64,
    clients: HashMap<IpAddr, HashMap<u64, Connection>>,
}

/// An open connection as the registry sees it.
struct Connection {
    activity: Arc<ConnectionActivity>,
    close: Arc<Notify>,
    /// Whether the server reads from the connection. Before, the connection waits for its place and
    /// must not be closed for that.
    is_served: bool,
    /// Whether the connection has been told to close.
    is_closing: bool,
}

/// The registration of an open connection. Dropping it removes the connection.
pub struct Registration {
    connections: Arc<Connections>,
    client: IpAddr,
    id: u64,
    close: Arc<Notify>,
}

impl Connections {
    /// Creates an empty registry for a server that opens at most `max_connections`, which the
    /// registry does not check. One client may have a quarter of them. A trusted proxy, and usually
    /// a client on this machine, may have all.
    pub fn new(max_connections: u32, config: &Config) -> Self {
        Self {
            open: Mutex::default(),
            max_per_client: (max_connections as usize).div_ceil(CLIENT_SHARE),
            proxies: config.trusted_proxies.clone(),
            limits_loopback: config.rate_limit_loopback,
        }
    }

    /// Registers a connection of `peer`, which belongs to the client network `client`.
    ///
    /// If the client has its maximum number of connections, tells its longest idle one to close.
    /// Returns None if none is idle: the new connection must be closed. The connection of an account
    /// that was used recently is not closed for another one, unless most connections of the client are
    /// of accounts. A peer that is a proxy has no maximum.
    pub fn register(
        self: &Arc<Self>,
        peer: IpAddr,
        client: IpAddr,
        activity: Arc<ConnectionActivity>,
    ) -> Option<Registration> {
        let mut open = self.lock();
        let connections = open.clients.get_mut(&client);
        if let Some(connections) = connections
            && connections.values().filter(|connection| !connection.is_closing).count()
                >= self.max_per_client
            && !self.is_proxy(peer)
            && !close_longest_idle(connections, self.keeps_accounts(connections))
        {
            return None;
        }
        let id = open.next_id;
        open.next_id += 1;
        let close = Arc::new(Notify::new());
        let connection =
            Connection { activity, close: close.clone(), is_served: false, is_closing: false };
        open.clients.entry(client).or_default().insert(id, connection);
        Some(Registration { connections: self.clone(), client, id, close })
    }

    /// Tells an idle connection to close: the longest idle one of the client with the most
    /// connections among the clients with idle ones. Those of accounts that were used recently come
    /// last. Returns whether there was one.
    pub fn close_one_idle(&self) -> bool {
        let mut open = self.lock();
        let mut clients: Vec<&mut HashMap<u64, Connection>> = open.clients.values_mut().collect();
        clients.sort_by_key(|connections| std::cmp::Reverse(connections.len()));
        [true, false].into_iter().any(|keeps_accounts| {
            clients.iter_mut().any(|connections| close_longest_idle(connections, keeps_accounts))
        })
    }

    /// Returns whether the connections of accounts that were used recently are kept: not if they are
    /// more than half of those of the client, because one account could otherwise exclude all others
    /// behind the same address.
    fn keeps_accounts(&self, connections: &HashMap<u64, Connection>) -> bool {
        let of_accounts =
            connections.values().filter(|connection| connection.activity.has_account()).count();
        of_accounts * 2 <= self.max_per_client
    }

    /// Returns whether a peer forwards the requests of others: it is a trusted proxy, or on this
    /// machine unless loopback addresses are limited.
    fn is_proxy(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        (peer.is_loopback() && !self.limits_loopback)
            || self.proxies.iter().any(|network| network.contains(&peer))
    }

    /// Locks the registry, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the longest idle connection to close, among those that are served and not yet told. Returns
/// false if there is none. Does not wait for the close.
///
/// `keeps_accounts` excludes the connections of accounts that were used recently.
fn close_longest_idle(connections: &mut HashMap<u64, Connection>, keeps_accounts: bool) -> bool {
    let idle = connections
        .values_mut()
        .filter(|connection| connection.is_served && !connection.is_closing);
    let longest = idle
        .filter_map(|connection| Some((connection.activity.idle_time()?, connection)))
        .filter(|(idle_time, connection)| {
            !(keeps_accounts && connection.activity.has_account() && *idle_time < ACCOUNT_IDLE_TIME)
        })
        .max_by_key(|(idle_time, _)| *idle_time);
    let Some((_, connection)) = longest else { return false };
    connection.is_closing = true;
    connection.close.notify_one();
    true
}

impl Registration {
    /// Records that the server reads from the connection now. Before, it is never closed as idle.
    pub fn start_serving(&self) {
        let mut open = self.connections.lock();
        let connections = open.clients.get_mut(&self.client);
        if let Some(connection) = connections.and_then(|all| all.get_mut(&self.id)) {
            connection.is_served = true;
        }
    }

    /// Returns the notification that tells the connection to close.
    pub fn close_signal(&self) -> &Notify {
        &self.close
    }
}

impl Drop for Registration {
    /// Removes the connection from the registry.
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        if let Some(connections) = open.clients.get_mut(&self.client) {
            connections.remove(&self.id);
            if connections.is_empty() {
                open.clients.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const OTHER_PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    /// Registers a connection of `peer` and returns it with its activity.
    fn open(
        connections: &Arc<Connections>,
        peer: IpAddr,
    ) -> Option<(Registration, Arc<ConnectionActivity>)> {
        let activity = ConnectionActivity::new();
        let registration = connections.register(peer, peer, activity.clone())?;
        registration.start_serving();
        Some((registration, activity))
    }

    fn is_closing(connections: &Connections, registration: &Registration) -> bool {
        connections.lock().clients[&registration.client][&registration.id].is_closing
    }

    #[test]
    fn client_with_too_many_connections_loses_its_longest_idle_one() {
        let connections = Arc::new(Connections::new(8, &Config::default()));
        let (first, first_activity) = open(&connections, PEER).unwrap();
        let request = first_activity.begin_request(false);
        std::thread::sleep(Duration::from_millis(5));
        let (second, second_activity) = open(&connections, PEER).unwrap();
        // The first one has a request, so the second one is closed although it is younger.
        let (_third, third_activity) = open(&connections, PEER).unwrap();
        assert!(!is_closing(&connections, &first) && is_closing(&connections, &second));
        let other_request = third_activity.begin_request(false);
        assert!(open(&connections, PEER).is_none(), "both connections have a request");
        assert!(open(&connections, OTHER_PEER).is_some());
        drop((request, other_request, second_activity));
        assert!(open(&connections, PEER).is_some());
    }

    #[test]
    fn connection_of_an_account_is_kept_for_those_of_unknown_senders() {
        let connections = Arc::new(Connections::new(8, &Config::default()));
        let (user, user_activity) = open(&connections, PEER).unwrap();
        user_activity.begin_request(false).note_account();
        std::thread::sleep(Duration::from_millis(5));
        let (unknown, unknown_activity) = open(&connections, PEER).unwrap();
        unknown_activity.begin_request(false);
        let (_third, third_activity) = open(&connections, PEER).unwrap();
        assert!(!is_closing(&connections, &user) && is_closing(&connections, &unknown));
        let _request = third_activity.begin_request(false);
        assert!(open(&connections, PEER).is_none(), "no idle one of an unknown sender is left");
        // The limit of the server is more important.
        assert!(connections.close_one_idle() && is_closing(&connections, &user));
    }

    #[test]
    fn connections_of_accounts_are_not_kept_if_they_are_most_of_a_client() {
        let connections = Arc::new(Connections::new(8, &Config::default()));
        let kept: Vec<_> = (0..2).filter_map(|_| open(&connections, PEER)).collect();
        for (_, activity) in &kept {
            activity.begin_request(false).note_account();
        }
        assert!(open(&connections, PEER).is_some());
        assert!(kept.iter().any(|(registration, _)| is_closing(&connections, registration)));
    }

    #[test]
    fn proxies_may_have_all_connections() {
        let proxies = vec!["192.0.2.0/24".parse().unwrap()];
        let config = Config { trusted_proxies: proxies, ..Config::default() };
        let connections = Arc::new(Connections::new(4, &config));
        let kept: Vec<_> = (0..4).filter_map(|_| open(&connections, PEER)).collect();
        assert!(kept.iter().all(|(registration, _)| !is_closing(&connections, registration)));
        assert_eq!(kept.len(), 4);
    }

    #[test]
    fn waiting_connection_is_not_closed_in_favor_of_itself() {
        let connections = Arc::new(Connections::new(8, &Config::default()));
        let waiting = connections.register(PEER, PEER, ConnectionActivity::new()).unwrap();
        assert!(!connections.close_one_idle());
        waiting.start_serving();
        assert!(connections.close_one_idle() && is_closing(&connections, &waiting));
    }

    #[test]
    fn client_with_the_most_connections_is_closed_first() {
        let connections = Arc::new(Connections::new(100, &Config::default()));
        let one = open(&connections, OTHER_PEER).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        let many: Vec<_> = (0..3).filter_map(|_| open(&connections, PEER)).collect();
        assert!(connections.close_one_idle());
        assert!(!is_closing(&connections, &one.0));
        assert_eq!(many.iter().filter(|(kept, _)| is_closing(&connections, kept)).count(), 1);
        drop((one, many));
        assert!(connections.lock().clients.is_empty());
        assert!(!connections.close_one_idle());
    }
}
