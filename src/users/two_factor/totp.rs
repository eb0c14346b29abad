//! TOTP codes of authenticator apps: six digits that change every 30 seconds.

use qrcode::{Color, QrCode};
use totp_rs::{Builder, Totp};

use crate::i18n::to_ascii_digits;
use crate::signing::{Keys, StoredTotpSecret};
use crate::web::error::AppError;

pub struct AuthenticatorApp(Totp);

impl AuthenticatorApp {
    /// Returns `None` if no configured key can read the secret.
    pub fn from_stored_secret(
        keys: &Keys,
        stored: &StoredTotpSecret,
        site: &str,
        username: &str,
    ) -> Result<Option<Self>, AppError> {
        let Some(secret) = keys.unmask_totp_secret(stored) else { return Ok(None) };
        // A colon separates issuer and account name in an `otpauth` URL, so the issuer must not contain one.
        let issuer = site.replace(':', " ");
        let builder = Builder::new().with_secret(secret.to_vec()).with_skew(1);
        let totp = builder.with_issuer(Some(issuer)).with_account_name(username.to_owned()).build();
        totp.map(|totp| Some(Self(totp))).map_err(|error| AppError::Internal(error.to_string()))
    }

    /// Returns the 30-second time step of a valid code: the previous, the current or the next one.
    pub fn matching_time_step(&self, code: &str, now: i64) -> Option<i64> {
        let digits: String = to_ascii_digits(code).chars().filter(|c| !c.is_whitespace()).collect();
        let step = self.0.check(&digits, u64::try_from(now).ok()?)?;
        i64::try_from(step).ok()
    }

    /// TOTP secret in base32, in groups of four characters for manual entry.
    pub fn secret(&self) -> String {
        let letters: Vec<char> = self.0.secret().to_base32().chars().collect();
        letters.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    }

    pub fn otpauth_url(&self) -> Result<String, AppError> {
        self.0.to_url().map_err(|error| AppError::Internal(error.to_string()))
    }

    /// QR code of the `otpauth` URL: width in modules, and SVG path that draws the dark modules.
    pub fn qr_code(&self) -> Result<(usize, String), AppError> {
        let code = QrCode::new(self.otpauth_url()?).map_err(|error| AppError::Internal(error.to_string()))?;
        let width = code.width();
        let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
        let squares: Vec<String> = dark.map(|(at, _)| format!("M{} {}h1v1h-1z", at % width, at / width)).collect();
        Ok((width, squares.concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    #[test]
    fn code_depends_on_time_and_secret() {
        let keys = Keys::derive(&SecretKey::from_text("0123456789abcdef0123456789abcdef").unwrap());
        let stored = |salt: u8| StoredTotpSecret { salt: vec![salt; 16], mask: None, key_id: keys.id().to_vec() };
        let app = |salt: u8| {
            AuthenticatorApp::from_stored_secret(&keys, &stored(salt), "Heron: a site", "آن").unwrap().unwrap()
        };
        let now = 1_790_000_010;
        let code = app(1).0.generate(1_790_000_010).to_string();
        assert_eq!(app(1).matching_time_step(&format!(" {} {} ", &code[..3], &code[3..]), now), Some(now / 30));
        assert_eq!(app(1).matching_time_step(&code, now + 30), Some(now / 30));
        assert_eq!(app(1).matching_time_step(&code, now - 30), Some(now / 30));
        assert_eq!(
            (app(1).matching_time_step(&code, now + 60), app(1).matching_time_step(&code, now - 60)),
            (None, None)
        );
        assert_eq!(app(2).matching_time_step(&code, now), None);
        for bad in ["", "12345", "1234567", "abcdef", &"1".repeat(10_000)] {
            assert_eq!(app(1).matching_time_step(bad, now), None, "{bad:.20}");
        }
        let url = app(1).otpauth_url().unwrap();
        assert!(url.starts_with("otpauth://totp/") && url.contains("issuer=") && !url.contains(' '), "{url}");
        assert_eq!(app(1).secret().replace(' ', "").len(), 32);
        let (width, path) = app(1).qr_code().unwrap();
        assert!(width >= 21 && path.matches('M').count() > 100);
    }
}
