//! `WordPress` with `MariaDB`, PHP-FPM and nginx: the packages `wordpress`, `mariadb-server`, `php-fpm`, `php-mysql` and
//! `nginx` of Debian.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::{POSTS, run};
use crate::baselines::{Nginx, Server, find};
use crate::load::{RequestFactory, get_request};

pub struct WordPress {
    pub address: SocketAddr,
    posts: Arc<[String]>,
    // Fields are dropped in order, so that nginx stops before PHP, and PHP before the database.
    _nginx: Nginx,
    _php: Server,
    _database: Server,
}

impl WordPress {
    pub fn start(folder: &Path) -> anyhow::Result<Self> {
        let folder = folder.join("wordpress");
        let (site, data, socket) = (folder.join("site"), folder.join("data"), folder.join("mariadb.sock"));
        std::fs::create_dir(&folder)?;
        run(Command::new("cp").args(["-rL", "/usr/share/wordpress"]).arg(&site))?;
        let mut install = Command::new("mariadb-install-db");
        install.args(["--no-defaults", "--auth-root-authentication-method=normal"]).arg(path("--datadir", &data));
        let mut mariadb = Command::new(find("mariadbd").context("mariadbd is not installed")?);
        mariadb
            .args(["--no-defaults", "--skip-networking"])
            .arg(path("--log-error", &folder.join("mariadb.log")))
            .arg(path("--datadir", &data))
            .arg(path("--socket", &socket));
        if nix::unistd::geteuid().is_root() {
            install.arg("--user=root");
            mariadb.arg("--user=root");
        }
        run(&mut install)?;
        let database = Server::start(&mut mariadb)?;
        wait_for_file(&socket)?;
        std::fs::write(site.join("wp-config.php"), configuration(&socket))?;
        let script = folder.join("install.php");
        std::fs::write(&script, include_str!("wordpress.php"))?;
        let posts = run(Command::new("php").arg(&script).arg(&site).arg(&socket).arg(POSTS.to_string()))?;
        let (php, nginx) = (start_php(&folder)?, start_nginx(&folder)?);
        let posts = posts.lines().map(str::to_owned).collect();
        Ok(Self { address: nginx.address, posts, _nginx: nginx, _php: php, _database: database })
    }

    /// Requests for posts.
    pub fn pages(&self) -> RequestFactory {
        let posts = Arc::clone(&self.posts);
        Arc::new(move |number| {
            let post = &posts[usize::try_from(number).unwrap() % posts.len()];
            get_request("text/html", &format!("/?p={post}"))
        })
    }
}

fn path(option: &str, path: &Path) -> String {
    format!("{option}={}", path.display())
}

fn configuration(socket: &Path) -> String {
    let socket = socket.display();
    format!(
        "<?php
        define('DB_NAME', 'wordpress');
        define('DB_USER', 'root');
        define('DB_PASSWORD', '');
        define('DB_HOST', 'localhost:{socket}');
        define('DB_CHARSET', 'utf8mb4');
        define('WP_HOME', 'http://localhost');
        define('WP_SITEURL', 'http://localhost');
        define('DISABLE_WP_CRON', true);
        define('ABSPATH', __DIR__ . '/');
        $table_prefix = 'wp_';
        require ABSPATH . 'wp-settings.php';\n"
    )
}

fn start_php(folder: &Path) -> anyhow::Result<Server> {
    let (socket, file) = (folder.join("php.sock"), folder.join("php.conf"));
    let user = if nix::unistd::geteuid().is_root() { "user = root\ngroup = root\n" } else { "" };
    let text = format!(
        "[global]\nerror_log = {0}/php.log\n[site]\n{user}listen = {0}/php.sock\nlisten.mode = 0666\npm = static\n\
        pm.max_children = 8\n",
        folder.display()
    );
    std::fs::write(&file, text)?;
    let program =
        ["php-fpm8.2", "php-fpm8.4", "php-fpm"].into_iter().find_map(find).context("PHP-FPM is not installed")?;
    let php = Server::start(Command::new(program).args(["-F", "-R", "-y"]).arg(file))?;
    wait_for_file(&socket)?;
    Ok(php)
}

fn start_nginx(folder: &Path) -> anyhow::Result<Nginx> {
    let site = format!(
        "location / {{
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME {0}/site/index.php;
            fastcgi_param HTTP_HOST localhost;
            fastcgi_pass unix:{0}/php.sock;
        }}",
        folder.display()
    );
    Nginx::start_with(folder, &site)?.context("nginx is not installed")
}

fn wait_for_file(path: &Path) -> anyhow::Result<()> {
    let patience = Instant::now() + Duration::from_secs(30);
    while !path.exists() {
        ensure!(Instant::now() < patience, "{} does not exist", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
