//! Users who sign in and publish posts during a failover.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::support::{Actor, PASSWORD};

/// Number of latest sessions of each author that are checked, because a user has at most 100 sessions.
const CHECKED_SESSIONS: usize = 90;

/// Post that the site has acknowledged, with the session in which it was published.
struct Published {
    name: String,
    author: Actor,
    title: String,
    id: i64,
}

/// Acknowledged posts, each with its session.
#[derive(Default)]
struct Acknowledged {
    stop: Cell<bool>,
    posts: RefCell<Vec<Published>>,
    /// Number of requests without a response or with status 503.
    unknown: Cell<usize>,
}

/// Authors who repeatedly sign in and publish a post.
pub struct Authors {
    acknowledged: Rc<Acknowledged>,
    tasks: Vec<JoinHandle<()>>,
}

impl Authors {
    /// Registers authors and starts their tasks, which send all requests to `address`.
    pub async fn start(names: [&'static str; 2], address: SocketAddr) -> Self {
        let acknowledged = Rc::<Acknowledged>::default();
        let mut tasks = Vec::new();
        for name in names {
            let body = json!({ "username": name, "email": "a@example.com", "password": PASSWORD });
            Actor::new(address).post("/users/register/", &body).await.expect(201);
            let acknowledged = Rc::clone(&acknowledged);
            tasks.push(actix_web::rt::spawn(async move { acknowledged.work(name, address).await }));
        }
        Self { acknowledged, tasks }
    }

    pub fn published(&self) -> usize {
        self.acknowledged.posts.borrow().len()
    }

    /// Ends the tasks, and checks that the latest acknowledged sessions and all acknowledged posts exist. Returns the
    /// number of posts, and the number of requests with an unknown outcome.
    pub async fn finish(self) -> (usize, usize) {
        self.acknowledged.stop.set(true);
        for task in self.tasks {
            task.await.unwrap();
        }
        let posts = self.acknowledged.posts.take();
        let mut sessions: HashMap<&str, usize> = HashMap::new();
        for Published { name, author, title, id } in posts.iter().rev() {
            let count = sessions.entry(name).or_default();
            *count += 1;
            if *count <= CHECKED_SESSIONS {
                author.get("/users/me/").await.expect(200);
            }
            assert_eq!(author.get(&format!("/blogs/{id}/")).await.expect(200).json()["title"], **title);
        }
        (posts.len(), self.acknowledged.unknown.get())
    }
}

impl Acknowledged {
    async fn work(&self, name: &str, address: SocketAddr) {
        for number in 1.. {
            if self.stop.get() {
                return;
            }
            let author = Actor::new(address);
            let title = format!("Post {number} of {name}");
            let credentials = json!({ "username": name, "password": PASSWORD });
            if self.send(&author, "/users/login/", &credentials, 200).await.is_some() {
                let post = json!({ "title": title, "content": "Text" });
                if let Some(post) = self.send(&author, "/blogs/create/", &post, 201).await {
                    let id = post["id"].as_i64().unwrap();
                    self.posts.borrow_mut().push(Published { name: name.to_owned(), author, title, id });
                }
            }
            // Pauses, so that password hashing does not delay the requests of other users.
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Sends a request. Returns the response if the site acknowledged the request.
    async fn send(
        &self,
        author: &Actor,
        path: &str,
        body: &serde_json::Value,
        success: u16,
    ) -> Option<serde_json::Value> {
        let response = author.attempt(author.request("POST", path).json(body)).await;
        match response {
            Some(response) if response.status == success => Some(response.json()),
            Some(response) if response.status != 503 => panic!("{path}: {} {}", response.status, response.text),
            _ => {
                self.unknown.set(self.unknown.get() + 1);
                None
            }
        }
    }
}
