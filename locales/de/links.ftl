
## The page before a suspected link.

suspected-title = Ein verdächtiger Link
suspected-title-was = Ein Link, der verdächtig war
suspected-heading = Dieser Link steht im Verdacht, unsicher zu sein
suspected-heading-was = Dieser Link stand im Verdacht, unsicher zu sein
suspected-not-again = Seither hat das niemand wieder gemeldet. Ob er jetzt sicher ist, wissen wir nicht.
suspected-who = Wer das sagt
suspected-advisory = Hinweis von Google
suspected-list-of = Die Liste von { $source }
suspected-leads-to = Führt zu
suspected-since = Seit
suspected-last = Zuletzt gemeldet
suspected-mistakes = Die Liste ist weder vollständig noch fehlerfrei: Manche unsichere Adresse fehlt, und manche sichere steht vielleicht zu Unrecht darauf. Ist das hier ein Irrtum?
suspected-report-google = <a href="https://safebrowsing.google.com/safebrowsing/report_error/" rel="noopener noreferrer">Melde es Google</a>. Ist es deine eigene Website? Die <a href="https://search.google.com/search-console/security-issues" rel="noopener noreferrer">Search Console</a> sagt, was gefunden wurde.
suspected-report = Sag es denen, die die Liste führen, bei { $source }.
suspected-more = Mehr dazu:
suspected-back = Zurück zu <bdi>{ $name }</bdi>
suspected-go = Trotzdem öffnen
threat-malware = Er kann deinem Computer schaden: Dort scheint es Programme zu geben, die ohne deine Zustimmung installiert werden könnten.
threat-social-engineering = Er führt vielleicht in die Irre: Jemand könnte dort versuchen, dich zu etwas Gefährlichem zu verleiten, etwa dazu, dein Passwort, deine Telefonnummer oder deine Kreditkartennummer zu verraten oder ein Programm zu installieren.
threat-unwanted-software = Dort gibt es vielleicht schädliche Programme: Sie könnten deinen Browser verändern oder dir mehr Werbung zeigen.
threat-harmful-application = Dort gibt es vielleicht Apps, die stehlen oder löschen könnten, was auf deinem Gerät ist, etwa Fotos, Nachrichten oder Passwörter.
threat-other = Er ist vielleicht unsicher.
threat-more-malware = Schadsoftware und unerwünschte Software
threat-more-phishing = Die Anti-Phishing Working Group
threat-more-policy = Die Richtlinie zu unerwünschter Software
