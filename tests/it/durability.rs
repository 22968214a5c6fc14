//! Kills the real server at random moments while many write: no answered write may be lost.
//!
//! `CHARTROOM_KILL_ROUNDS` says how often (5 when it is not set).

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use ureq::Agent;

use crate::world::World;
use crate::world::people;

/// Clients that write at once.
const CLIENTS: usize = 8;

/// What must be in a document, and what may be instead, because its answer never came.
#[derive(Debug, Default)]
struct Document {
    answered: Vec<u64>,
    asked: Option<Vec<u64>>,
}

/// Somebody who keeps writing to documents of his own, and remembers what was answered.
struct Client {
    agent: Agent,
    number: usize,
    /// Steps taken so far: what is written is never the same twice.
    step: u64,
    /// By path below the server's address.
    documents: BTreeMap<String, Document>,
    newest: String,
}

impl Client {
    fn new(number: usize) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .proxy(None);
        let agent = config.build().new_agent();
        Self { agent, number, step: 0, documents: BTreeMap::new(), newest: String::new() }
    }

    /// One write: mostly a record more, at times all of the data or a new document. None: no
    /// answer came.
    fn write(&mut self, base: &str) -> Option<()> {
        self.step += 1;
        if !self.documents.contains_key(&self.newest) {
            return self.create(base);
        }
        match self.step % 10 {
            1 => self.create(base),
            2 | 6 => self.replace(base),
            _ => self.append(base),
        }
    }

    fn create(&mut self, base: &str) -> Option<()> {
        let body = json!({ "widget": "bar", "folder": format!("/Client {}", self.number) });
        let made = self.send("POST", base, "/api/v1/create-document", &body)?;
        let endpoint = made["endpoint"].as_str().unwrap();
        let at = endpoint.find("/api/v1/").unwrap();
        self.newest = endpoint[at..].to_owned();
        let sample = self.read(base, &self.newest)?;
        self.documents.insert(self.newest.clone(), Document { answered: sample, asked: None });
        Some(())
    }

    fn replace(&mut self, base: &str) -> Option<()> {
        // Up to some thousand records, so that a write reaches over many pages.
        let records: Vec<u64> =
            (0..self.step * 37 % 2000).map(|n| self.step * 10_000 + n).collect();
        let body = records.iter().map(|value| json!({ "label": "r", "value": value }));
        let body = Value::Array(body.collect());
        self.ask("PUT", base, "/data", &body, records)
    }

    fn append(&mut self, base: &str) -> Option<()> {
        let value = self.step * 10_000;
        let mut records = self.documents.get(&self.newest)?.answered.clone();
        records.push(value);
        self.ask("POST", base, "/add-record", &json!({ "label": "a", "value": value }), records)
    }

    /// A write after which the newest document holds `records`.
    fn ask(
        &mut self,
        method: &str,
        base: &str,
        suffix: &str,
        body: &Value,
        records: Vec<u64>,
    ) -> Option<()> {
        let path = format!("{}{suffix}", self.newest);
        self.documents.get_mut(&self.newest)?.asked = Some(records);
        self.send(method, base, &path, body)?;
        let document = self.documents.get_mut(&self.newest)?;
        document.answered = document.asked.take()?;
        Some(())
    }

    fn send(&self, method: &str, base: &str, path: &str, body: &Value) -> Option<Value> {
        let token = &people()[0].token;
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{base}{path}"))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .body(body.to_string())
            .unwrap();
        let mut answer = self.agent.run(request).ok()?;
        let status = answer.status().as_u16();
        // An answer that breaks off is none.
        let text = answer.body_mut().with_config().limit(64 << 20).read_to_string().ok()?;
        assert!((200..300).contains(&status), "{method} {path}: {status} {text}");
        Some(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// The values of a document's records.
    fn read(&self, base: &str, path: &str) -> Option<Vec<u64>> {
        let request = self.agent.get(format!("{base}{path}"));
        let token = &people()[0].token;
        let mut answer = request.header("authorization", format!("Bearer {token}")).call().ok()?;
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        let text = answer.body_mut().with_config().limit(64 << 20).read_to_string().ok()?;
        let document: Value = serde_json::from_str(&text).unwrap();
        let records = document["data"].as_array().unwrap().iter();
        // The sample's values need not be whole; ours are.
        Some(records.map(|it| it["value"].as_f64().unwrap() as u64).collect())
    }

    /// Compares with what the server has after its restart.
    fn check(&mut self, base: &str) {
        for (path, document) in &self.documents {
            let found = self.read(base, path).expect("the restarted server answers");
            let whole = found == document.answered || Some(&found) == document.asked.as_ref();
            assert!(
                whole,
                "{path} has {} records, answered for were {}, asked for {:?}",
                found.len(),
                document.answered.len(),
                document.asked.as_ref().map(Vec::len)
            );
        }
        // From here on only what is there counts; old documents are not looked at again.
        let newest = self.documents.remove(&self.newest);
        self.documents.clear();
        if newest.is_some() {
            let answered = self.read(base, &self.newest).expect("it was just there");
            self.documents.insert(self.newest.clone(), Document { answered, asked: None });
        }
    }
}

#[test]
fn no_answered_write_is_lost_when_the_server_is_killed() {
    let rounds =
        std::env::var("CHARTROOM_KILL_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(5);
    let mut world = World::new();
    // As the server makes it itself; the doctor insists.
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let mut clients: Vec<Client> = (0..CLIENTS).map(Client::new).collect();
    for round in 1..=rounds {
        let before: u64 = clients.iter().map(|client| client.step).sum();
        let life = Duration::from_micros(rand::random_range(20_000..600_000));
        let world_now = &world;
        thread::scope(|scope| {
            for client in &mut clients {
                scope.spawn(|| while client.write(&world_now.base).is_some() {});
            }
            thread::sleep(life);
            // The process gets no chance to do anything more.
            world_now.signal("KILL");
        });
        world.kill();
        let writes = clients.iter().map(|client| client.step).sum::<u64>() - before;
        println!("round {round}: killed after {life:?} and {writes} writes");
        let health = world.run(&["doctor"]);
        let said = String::from_utf8_lossy(&health.stdout);
        assert!(health.status.success(), "round {round}: {said}");
        world.start();
        for client in &mut clients {
            client.check(&world.base);
        }
    }
    assert!(clients.iter().all(|client| client.step > 5), "some client never got an answer");
}
