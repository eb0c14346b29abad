
## The page before a suspected link.

suspected-title = A suspected link
suspected-title-was = A link that was suspected
suspected-heading = This link is suspected to be unsafe
suspected-heading-was = This link was suspected to be unsafe
suspected-not-again = That was not said again since then. Whether it is safe now we do not know.
suspected-who = Who says so
suspected-advisory = Advisory provided by Google
suspected-list-of = The list of { $source }
suspected-leads-to = Leads to
suspected-since = Since
suspected-last = Last said
suspected-mistakes = The list is neither complete nor free of mistakes: some unsafe places are not on it, and some safe ones may be. Is this one a mistake?
suspected-report-google = <a href="https://safebrowsing.google.com/safebrowsing/report_error/" rel="noopener noreferrer">Report it to Google</a>. Is it your own site? <a href="https://search.google.com/search-console/security-issues" rel="noopener noreferrer">Search Console</a> says what was found.
suspected-report = Tell those who keep the list, at { $source }.
suspected-more = Learn more:
suspected-back = Back to <bdi>{ $name }</bdi>
suspected-go = Go there all the same
threat-malware = It may harm your computer: it seems to contain programs that could be installed without your consent.
threat-social-engineering = It may be deceptive: somebody there may try to trick you into doing something dangerous, such as telling them your password, your telephone number or your credit card number, or installing a program.
threat-unwanted-software = It may offer harmful programs: they could change your browser, or show you more advertisements.
threat-harmful-application = It may offer apps that could steal or delete what is on your device, such as photos, messages or passwords.
threat-other = It may be unsafe.
threat-more-malware = Malware and unwanted software
threat-more-phishing = The Anti-Phishing Working Group
threat-more-policy = The unwanted software policy
