//! The same site in a real browser. Needs Chromium and `ChromeDriver`, and for one story axe-core. Where these are
//! missing the stories are `ignored`, and the end says which and what to install; with `CI` set that is a failure.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::too_many_lines, reason = "a test tells a whole story")]
#![allow(clippy::print_stdout, reason = "what a test has seen")]

mod accessibility;
mod desk;
mod driver;
mod people;
mod pictures;
mod stories;
#[path = "../site/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other stories use more of it")]
mod support;
mod words;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use evenkeel::i18n::Language;
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let has_browser = ["chromedriver", "chromium"].into_iter().all(|program| {
        let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    });
    let has_axe = Path::new(accessibility::AXE).is_file();
    let browser = (!has_browser).then_some("apt-get install chromium chromium-driver");
    let axe = browser.or((!has_axe).then_some("npm install --no-save --prefix target/tools axe-core"));
    let mut not_run = Vec::new();
    // Each in every language.
    let mut story = |name: &'static str, missing: Option<&'static str>, tell: fn()| {
        not_run.extend(missing.map(|install| (name, install)));
        let told = |language: Language| {
            let tell = move || {
                words::tell_in(language);
                tell();
                Ok(())
            };
            Trial::test(format!("{name}_{}", language.tag()), tell).with_ignored_flag(missing.is_some())
        };
        Language::all().map(told).collect::<Vec<_>>()
    };
    macro_rules! stories {
        ($($file:ident::$name:ident needs $missing:ident)+) => {
            [$(story(stringify!($name), $missing, || {
                actix_web::rt::System::new().block_on($file::$name());
            })),+].into_iter().flatten().collect()
        };
    }
    let trials: Vec<Trial> = stories! {
        stories::two_people_write_and_rate_in_a_browser needs browser
        stories::the_same_with_scripts_off needs browser
        stories::a_hasty_reader_is_warned_sees_the_countdown_and_is_released needs browser
        stories::a_writer_previews_and_loses_nothing_when_the_session_ends needs browser
        stories::a_writer_sees_the_preview_beside_the_text_and_publishes_later needs browser
        stories::a_writer_marks_text_by_toolbar_and_shortcuts needs browser
        stories::a_reader_rates_without_a_reload_and_sees_a_refusal_end needs browser
        stories::what_was_not_counted_is_sent_later_from_any_page needs browser
        stories::a_reader_searches_in_persian_and_reads_by_keyboard_alone needs browser
        people::an_address_is_confirmed_and_a_forgotten_password_replaced_from_the_mail needs browser
        people::a_second_factor_is_set_up_and_a_recovery_code_lets_its_owner_leave_and_come_back needs browser
        people::by_an_invitation_one_comes_in_and_the_next_is_told_why_not needs browser
        people::an_empty_site_is_claimed_by_who_started_it_and_by_nobody_else needs browser
        people::what_is_downloaded_is_what_was_written needs browser
        desk::an_admin_looks_switches_the_limiter_and_takes_it_back needs browser
        desk::somebody_is_blocked_and_sees_why needs browser
        desk::a_report_is_decided_and_appealed_from_both_sides needs browser
        desk::a_moderator_leaves_a_day_out_of_a_score needs browser
        pictures::pictures_are_chosen_dropped_and_pasted needs browser
        pictures::without_scripts_a_picture_is_added_to_the_text_that_was_typed needs browser
        accessibility::nothing_is_cut_on_a_narrow_screen needs browser
        accessibility::axe_finds_nothing_on_any_page_light_or_dark needs axe
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    if arguments.list || not_run.is_empty() {
        return conclusion.exit_code();
    }
    println!("NOT RUN, as something is missing here:");
    for (name, install) in &not_run {
        println!("    {name}: {install}");
    }
    if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { conclusion.exit_code() }
}
