//! Safe Browsing test server that records protocol violations, such as requests that come too early.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use evenkeel::db::clock::Clock;
use evenkeel_safe_browsing::protocol::{FetchThreatListUpdatesRequest, FindFullHashesRequest, SizeConstraints};
use evenkeel_safe_browsing::url_expressions::CanonicalUrl;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

pub const KEY: &str = "canary-key-of-the-server";

/// Fault that the test server injects into its next response.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    Status(u16),
    Garbage,
    /// The connection closes in the middle of the response.
    Cut,
    WrongChecksum,
    /// Correct response, sent only after [`Server::release`] was called.
    Held,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    Raw,
    Rice,
}

/// State of the rate limit of an API method: earliest permitted time of the next request, and number of consecutive
/// failures.
#[derive(Debug)]
struct Account {
    earliest: DateTime<Utc>,
    failures: u32,
}

#[derive(Debug)]
pub struct Books {
    clock: Clock,
    /// Hash prefixes on the threat list.
    list: BTreeSet<Vec<u8>>,
    /// Lists sent to clients, indexed by client state.
    sent: Vec<BTreeSet<Vec<u8>>>,
    /// URLs that a full-hash request confirms as threats.
    named: Vec<String>,
    pub encoding: Encoding,
    pub faults: VecDeque<Fault>,
    pub wait_s: i64,
    /// Minimum wait in seconds after a full-hash request.
    pub find_wait_s: i64,
    pub negative_s: i64,
    pub positive_s: i64,
    accounts: [Option<Account>; 2],
    /// Bodies of the received list updates and full-hash requests.
    pub list_updates: Vec<Value>,
    pub full_hash_requests: Vec<Value>,
    pub complaints: Vec<String>,
}

pub struct Server {
    pub books: Arc<Mutex<Books>>,
    pub address: SocketAddr,
    /// True once delayed responses may be sent.
    gate: watch::Sender<bool>,
    handle: ServerHandle,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

/// Full hash of the exact URL, without the shorter expressions that the protocol derives from a URL.
pub fn hash(address: &str) -> [u8; 32] {
    CanonicalUrl::parse(address.as_bytes()).unwrap().full_hashes()[0]
}

impl Server {
    pub fn start(clock: &Clock) -> Self {
        let books = Arc::new(Mutex::new(Books {
            clock: clock.clone(),
            list: BTreeSet::new(),
            sent: vec![BTreeSet::new()],
            named: Vec::new(),
            encoding: Encoding::Raw,
            faults: VecDeque::new(),
            wait_s: 1_800,
            find_wait_s: 1_800,
            negative_s: 300,
            positive_s: 300,
            accounts: [None, None],
            list_updates: Vec::new(),
            full_hash_requests: Vec::new(),
            complaints: Vec::new(),
        }));
        let (gate, data) = (watch::Sender::new(false), web::Data::from(books.clone()));
        let opening = web::Data::new(gate.clone());
        let server = HttpServer::new(move || {
            App::new()
                .app_data(data.clone())
                .app_data(opening.clone())
                .app_data(web::PayloadConfig::new(1 << 20))
                .default_service(web::to(answer))
        });
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let address = server.addrs()[0];
        let server = server.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self { books, address, gate, handle }
    }

    /// Sends the delayed responses.
    pub fn release(&self) {
        self.gate.send_replace(true);
    }

    pub fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }
}

impl Books {
    /// Replaces the threat list and the confirmed URLs. Each URL comes with the length of its hash prefix in bytes.
    pub fn name(&mut self, addresses: &[(&str, usize)]) {
        self.named = addresses.iter().map(|(address, _)| (*address).to_owned()).collect();
        self.list = addresses.iter().map(|(address, size)| hash(address)[..*size].to_vec()).collect();
    }

    /// Adds the hash prefix of a URL to the threat list, although no URL with this prefix is a threat.
    pub fn tease(&mut self, address: &str) {
        self.list.insert(hash(address)[..4].to_vec());
    }

    pub fn fill(&mut self, count: u32) {
        self.list.extend((0..count).map(|number| hash(&format!("http://{number}.example/"))[..4].to_vec()));
    }

    /// Computes the next version of a client's threat list. The request limits the size of the update and of the whole
    /// list.
    fn target(&self, old: &BTreeSet<Vec<u8>>, size: SizeConstraints) -> BTreeSet<Vec<u8>> {
        let or_unlimited = |limit: u32| if limit == 0 { usize::MAX } else { limit as usize };
        let list: BTreeSet<_> = self.list.iter().take(or_unlimited(size.max_database_entries)).collect();
        let (common, new): (Vec<_>, Vec<_>) = list.into_iter().partition(|prefix| old.contains(*prefix));
        common.into_iter().chain(new.into_iter().take(or_unlimited(size.max_update_entries))).cloned().collect()
    }

    fn complain(&mut self, what: String) {
        self.complaints.push(what);
    }

    /// Returns true and records a complaint if a request comes too early.
    fn is_too_early(&mut self, method: usize) -> bool {
        let now = self.clock.now().unwrap();
        let early = self.accounts[method].as_ref().map(|account| account.earliest - now);
        let Some(early) = early.filter(|early| *early > TimeDelta::zero()) else { return false };
        self.complain(format!("method {method} came {early} too early"));
        true
    }

    fn settle(&mut self, method: usize, is_answered: bool) {
        let now = self.clock.now().unwrap();
        let failures = self.accounts[method].as_ref().map_or(0, |account| account.failures);
        self.accounts[method] = Some(if is_answered {
            let wait = if method == 0 { self.wait_s } else { self.find_wait_s };
            // Clients wait for at most a day, even if the server requests more.
            Account { earliest: now + TimeDelta::seconds(wait.min(86_400)), failures: 0 }
        } else {
            let least = TimeDelta::minutes(15 << failures.min(10)).min(TimeDelta::hours(24));
            Account { earliest: now + least, failures: failures + 1 }
        });
    }

    fn fetch(&mut self, request: &FetchThreatListUpdatesRequest, is_wrong: bool) -> Value {
        let update = &request.list_update_requests[0];
        let known = update.state.parse::<usize>().ok().filter(|known| *known < self.sent.len());
        let old = known.map(|known| self.sent[known].clone()).unwrap_or_default();
        let now = self.target(&old, update.constraints.size);
        let state = known.filter(|_| now == old).unwrap_or(self.sent.len());
        let removals: Vec<u32> =
            (0u32..).zip(&old).filter(|(_, prefix)| !now.contains(*prefix)).map(|(at, _)| at).collect();
        let additions: Vec<&Vec<u8>> = now.iter().filter(|prefix| !old.contains(*prefix)).collect();
        let list: Vec<u8> = now.iter().flatten().copied().collect();
        let checksum = if is_wrong { Sha256::digest(b"wrong") } else { Sha256::digest(&list) };
        let mut list = serde_json::to_value(&update.list).unwrap();
        list.as_object_mut().unwrap().extend(
            json!({
                "responseType": if known.is_some() { "PARTIAL_UPDATE" } else { "FULL_UPDATE" },
                "additions": self.additions(&additions),
                "removals": self.removals(&removals),
                "newClientState": state.to_string(),
                "checksum": { "sha256": STANDARD.encode(checksum) },
            })
            .as_object()
            .unwrap()
            .clone(),
        );
        if state == self.sent.len() {
            self.sent.push(now);
        }
        json!({ "listUpdateResponses": [list], "minimumWaitDuration": format!("{}.000s", self.wait_s) })
    }

    fn additions(&self, prefixes: &[&Vec<u8>]) -> Vec<Value> {
        let sizes: BTreeSet<usize> = prefixes.iter().map(|prefix| prefix.len()).collect();
        let set = |size: usize| {
            let of_size: Vec<&Vec<u8>> = prefixes.iter().copied().filter(|prefix| prefix.len() == size).collect();
            if size == 4 && self.encoding == Encoding::Rice {
                let mut numbers: Vec<u32> =
                    of_size.iter().map(|prefix| u32::from_le_bytes(prefix[..].try_into().unwrap())).collect();
                numbers.sort_unstable();
                return json!({ "compressionType": "RICE", "riceHashes": rice(&numbers) });
            }
            let bytes: Vec<u8> = of_size.into_iter().flatten().copied().collect();
            json!({ "compressionType": "RAW", "rawHashes": { "prefixSize": size, "rawHashes": STANDARD.encode(bytes) } })
        };
        sizes.into_iter().map(set).collect()
    }

    fn removals(&self, numbers: &[u32]) -> Vec<Value> {
        match self.encoding {
            _ if numbers.is_empty() => Vec::new(),
            Encoding::Raw => vec![json!({ "compressionType": "RAW", "rawIndices": { "indices": numbers } })],
            Encoding::Rice => vec![json!({ "compressionType": "RICE", "riceIndices": rice(numbers) })],
        }
    }

    fn find(&self, request: &FindFullHashesRequest) -> Value {
        let info = &request.threat_info;
        let is_asked = |hash: &[u8; 32]| info.threat_entries.iter().any(|entry| hash.starts_with(&entry.hash));
        let hashes: Vec<[u8; 32]> = self.named.iter().map(|address| hash(address)).filter(is_asked).collect();
        let matches: Vec<Value> = hashes
            .iter()
            .map(|hash| {
                json!({ "threatType": "MALWARE", "platformType": "ANY_PLATFORM", "threatEntryType": "URL",
                    "threat": { "hash": STANDARD.encode(hash) }, "cacheDuration": format!("{}s", self.positive_s) })
            })
            .collect();
        json!({ "matches": matches, "minimumWaitDuration": format!("{}s", self.find_wait_s),
            "negativeCacheDuration": format!("{}s", self.negative_s) })
    }
}

/// Rice-Golomb encoding of ascending numbers.
fn rice(numbers: &[u32]) -> Value {
    const PARAMETER: u32 = 5;
    let mut bits = Vec::new();
    for pair in numbers.windows(2) {
        let distance = pair[1] - pair[0];
        // Large distances need a large Rice parameter, as a real server would choose, to keep the unary part short.
        let parameter = if numbers[0] < 1 << 16 && *numbers.last().unwrap() < 1 << 16 { PARAMETER } else { 28 };
        bits.extend(std::iter::repeat_n(true, (distance >> parameter) as usize));
        bits.push(false);
        bits.extend((0..parameter).map(|place| (distance >> place) & 1 == 1));
    }
    let parameter = if *numbers.last().unwrap() < 1 << 16 { PARAMETER } else { 28 };
    let bytes: Vec<u8> =
        bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| (byte << 1) | u8::from(*bit))).collect();
    json!({ "firstValue": numbers[0].to_string(), "riceParameter": parameter, "numEntries": numbers.len() - 1,
        "encodedData": STANDARD.encode(bytes) })
}

async fn answer(
    request: HttpRequest,
    body: web::Bytes,
    (books, gate): (web::Data<Mutex<Books>>, web::Data<watch::Sender<bool>>),
) -> HttpResponse {
    let (method, fault) = note(&request, &body, &books);
    if matches!(fault, Some(Fault::Held)) {
        gate.subscribe().wait_for(|open| *open).await.unwrap();
    }
    respond(method, fault, &body, &mut books.lock().unwrap())
}

/// Records a request. Returns its API method and the fault to inject.
fn note(request: &HttpRequest, body: &web::Bytes, books: &Mutex<Books>) -> (usize, Option<Fault>) {
    let mut books = books.lock().unwrap();
    let key = request.headers().get("x-goog-api-key").map(|key| key.to_str().unwrap().to_owned());
    if key.as_deref() != Some(KEY) || request.uri().to_string().contains(KEY) {
        books.complain(format!("the key is not where it belongs: {request:?}"));
    }
    let body: Value = serde_json::from_slice(body).unwrap();
    let method = match request.path() {
        "/v4/threatListUpdates:fetch" => 0,
        "/v4/fullHashes:find" => 1,
        path => panic!("there is no {path}"),
    };
    if books.is_too_early(method) {
        return (method, Some(Fault::Status(429)));
    }
    if method == 0 {
        books.list_updates.push(body);
    } else {
        books.full_hash_requests.push(body);
    }
    let fault = books.faults.pop_front();
    books.settle(method, matches!(fault, None | Some(Fault::WrongChecksum | Fault::Held)));
    (method, fault)
}

fn respond(method: usize, fault: Option<Fault>, body: &web::Bytes, books: &mut Books) -> HttpResponse {
    match fault {
        Some(Fault::Status(status)) => {
            HttpResponse::build(actix_web::http::StatusCode::from_u16(status).unwrap()).body("{}")
        }
        Some(Fault::Garbage) => HttpResponse::Ok().body("{\"listUpdateResponses\": [{\"threatType\": 7}]"),
        Some(Fault::Cut) => {
            let cut = futures_util::stream::iter([
                Ok(web::Bytes::from_static(b"{\"list")),
                Err(std::io::Error::other("cut")),
            ]);
            HttpResponse::Ok().streaming(cut)
        }
        Some(Fault::WrongChecksum) => {
            HttpResponse::Ok().json(books.fetch(&serde_json::from_slice(body).unwrap(), true))
        }
        _ if method == 0 => HttpResponse::Ok().json(books.fetch(&serde_json::from_slice(body).unwrap(), false)),
        _ => HttpResponse::Ok().json(books.find(&serde_json::from_slice(body).unwrap())),
    }
}
