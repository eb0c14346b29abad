
## Warning page of a flagged URL.

suspected-title = Verdächtiger Link
suspected-title-past = Früher als verdächtig gemeldeter Link
suspected-heading = Dieser Link ist möglicherweise unsicher
suspected-heading-past = Dieser Link wurde als möglicherweise unsicher gemeldet
suspected-not-confirmed = Diese Warnung ist abgelaufen. Ob der Link jetzt sicher ist, wissen wir nicht.
suspected-source = Quelle
suspected-advisory = Hinweis von Google
suspected-list-of = Bedrohungsliste von { $source }
suspected-leads-to = Ziel
suspected-since = Gemeldet seit
suspected-last-confirmed = Zuletzt bestätigt
suspected-mistakes = Bedrohungslisten sind weder vollständig noch fehlerfrei: Unsichere Seiten können fehlen, sichere zu Unrecht darin stehen. Ist das hier ein Irrtum?
suspected-report-google = <a href="https://safebrowsing.google.com/safebrowsing/report_error/" rel="noopener noreferrer">Melde es Google</a>. Ist es deine eigene Website? Die <a href="https://search.google.com/search-console/security-issues" rel="noopener noreferrer">Search Console</a> zeigt, was gefunden wurde.
suspected-report = Melde es denen, die die Liste pflegen: { $source }.
suspected-more = Mehr dazu:
suspected-back = Zurück zu <bdi>{ $name }</bdi>
suspected-continue = Trotzdem öffnen
threat-malware = Der Besuch dieser Website kann deinem Computer schaden. Sie scheint Schadprogramme zu enthalten, die ohne deine Zustimmung installiert werden könnten.
threat-social-engineering = Diese Website ist möglicherweise betrügerisch. Sie könnte dich zu etwas Gefährlichem verleiten, etwa ein Programm zu installieren oder dein Passwort, deine Telefonnummer oder deine Kreditkartennummer preiszugeben.
threat-unwanted-software = Diese Website bietet möglicherweise schädliche Programme an, die deinen Browser verändern oder dir mehr Werbung zeigen könnten.
threat-harmful-application = Diese Website bietet möglicherweise schädliche Apps an, die Daten auf deinem Gerät stehlen oder löschen könnten, etwa Fotos, Nachrichten oder Passwörter.
threat-other = Diese Website ist möglicherweise unsicher.
threat-more-malware = Schadsoftware und unerwünschte Software
threat-more-phishing = Anti-Phishing Working Group
threat-more-policy = Richtlinie zu unerwünschter Software
