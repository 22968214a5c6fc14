//! Kills the real server at random moments while many write: no answered write may be lost, and
//! what was not answered is there as a whole or not at all.
//!
//! `CHARTROOM_KILL_ROUNDS` says how often (5 when it is not set).

mod changes;
mod client;
mod keeper;
mod line;
mod things;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use crate::world::World;
use changes::KINDS;
use client::Client;
use keeper::Keeper;

/// Clients that write at once.
const CLIENTS: usize = 6;
/// And those that keep their things in order meanwhile.
const KEEPERS: usize = 3;
/// How long the answers of one round may take, even on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn no_answered_write_is_lost_when_the_server_is_killed() {
    let rounds =
        std::env::var("CHARTROOM_KILL_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(5);
    let mut world = World::new();
    // As the server makes it itself; the doctor insists.
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let mut clients: Vec<Client> = (0..CLIENTS).map(Client::new).collect();
    let mut keepers: Vec<Keeper> = (0..KEEPERS).map(Keeper::new).collect();
    for round in 1..=rounds {
        let answers = live(&world, &mut clients, &mut keepers);
        world.kill();
        println!("round {round}: killed after {answers} answers");
        let health = world.run(&["doctor"]);
        let said = String::from_utf8_lossy(&health.stdout);
        assert!(health.status.success(), "round {round}: {said}");
        world.start();
        for client in &mut clients {
            client.check(&world.base);
        }
        for keeper in &mut keepers {
            keeper.check(&world.base);
        }
    }
    assert!(clients.iter().all(|client| client.step > 5), "some client never got an answer");
    let mut done = BTreeMap::new();
    for (kind, times) in keepers.iter().flat_map(|it| &it.done) {
        *done.entry(*kind).or_insert(0) += times;
    }
    println!("changes: {done:?}");
    let never: Vec<_> = KINDS.iter().filter(|(kind, _)| !done.contains_key(kind)).collect();
    assert!(never.is_empty(), "these never came: {never:?}");
}

/// Lets all of them work until the server is killed in the midst of it, after so many answers as
/// chance wants. Gives how many came.
fn live(world: &World, clients: &mut [Client], keepers: &mut [Keeper]) -> u64 {
    let (answers, wanted) = (AtomicU64::new(0), rand::random_range(100..=400));
    let count = || answers.fetch_add(1, Ordering::Relaxed);
    let base = &world.base;
    thread::scope(|scope| {
        for client in clients {
            scope.spawn(|| {
                while client.write(base).is_some() {
                    count();
                }
            });
        }
        for keeper in keepers {
            scope.spawn(|| {
                while keeper.act(base).is_some() {
                    count();
                }
            });
        }
        let began = Instant::now();
        while answers.load(Ordering::Relaxed) < wanted && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_micros(rand::random_range(0..3_000)));
        // The process gets no chance to do anything more.
        world.signal("KILL");
        assert!(began.elapsed() < PATIENCE, "{} answers only", answers.load(Ordering::Relaxed));
    });
    answers.into_inner()
}
