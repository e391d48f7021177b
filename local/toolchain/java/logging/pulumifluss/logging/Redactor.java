package pulumifluss.logging;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Replaces secrets in a text by {@code ***}: known values, which a file lists, and whatever stands where a secret is to be
 * expected. It rather hides too much than too little; what is no secret may therefore read {@code ***} too.
 *
 * <p>Needs nothing but the JDK.
 */
public final class Redactor {
    private static final String HIDDEN = "***";

    /** Parts of a name that make its value a secret. */
    private static final String SECRET_WORD =
            "(?:secret|passw(?:or)?d|passphrase|token|credential|signature"
                    + "|(?:access|private|api|account|shared|encryption)[ ._-]?key)";

    /** One of these is in every text in which {@link #SECRET_WORD} is found. */
    private static final String[] SECRET_STEMS = {"secret", "passw", "passphrase", "token", "credential", "signature", "key"};

    /** Rest of the name. Bounded, since a log may hold very long runs of letters. */
    private static final String NAME_END = "[\\w.$-]{0,80}+";

    /**
     * A quoted value as a whole, its quotes escaped or not; the rest of the line after a quote that does not end; a bare
     * value up to a blank or to what ends an entry of a list.
     */
    private static final String VALUE =
            "(?:\"(?:[^\"\\\\]|\\\\.)*+\"|\\\\+\"(?:(?!\\\\+\").)*+\\\\+\"|'(?:[^'\\\\]|\\\\.|'')*+'"
                    + "|\\\\*[\"'][^\\n]*+|(?:[^\\s,;&|}\\])\"'<>]|[,;](?!\\s|$))++)";

    private static final Rule[] RULES = {
        // Configuration as Fluss and Flink print it at the start: the value is the rest of the line.
        named("(Loading configuration property: [^=,\\n]*" + SECRET_WORD + "[^=,\\n]*?(?: = |=|, ))[^\\n]*"),
        // JAAS: the whole configuration where its key is printed, and each user's entry wherever it appears.
        rule("jaas", "(jaas[._-]?config[\\w-]*+\\\\*[\"']?\\s*[=:,]\\s*)[^\\n]*"),
        rule("user_", "(\\buser_[\\w.-]{1,80}+\\s*=\\s*)" + VALUE),
        // Authorization: Bearer …, Basic …, AWS4-HMAC-SHA256 …
        rule("authorization", "(\\b(?:proxy-)?authorization\\\\*[\"']?\\s*[:=]\\s*\\[?\\\\*[\"']?)[^\\n\"'\\]}]+"),
        rule("bearer", "(\\bbearer\\s+)[\\w.~+/=-]{4,}"),
        // --datalake.iceberg.token value, also as a printed list: --datalake.iceberg.token, value
        named("((?<![\\w-])--[\\w.-]{0,80}?" + SECRET_WORD + NAME_END + ",?\\s+)" + VALUE),
        // name=value, name: value, "name":"value", 'name' = 'value', name -> value; not `…TokenException: text`.
        named("(" + SECRET_WORD + NAME_END + "(?<!Exception|Error)\\\\*[\"'`]?"
                + "(?:\\s*=>?\\s*|\\s*->\\s*|\\s*:\\s+|:(?=\\\\*[\"'])))" + VALUE),
        // <SecretAccessKey>value<
        named("(<\\w{0,80}?" + SECRET_WORD + "\\w{0,80}>)[^<]+"),
        // scheme://user:password@host
        rule("://", "(\\w://[^\\s:/@]{1,200}+:)[^\\s/@]+(?=@)"),
        // JSON web tokens, and all but the ends of access key ids, which tell them apart.
        rule("eyj", "\\b()eyJ[\\w-]{8,}+\\.[\\w-]+(?:\\.[\\w-]*)?"),
        rule("akia", "\\b(AKIA)[A-Z0-9]{12}(?=[A-Z0-9]{4}\\b)"),
        rule("asia", "\\b(ASIA)[A-Z0-9]{12}(?=[A-Z0-9]{4}\\b)"),
    };

    private final KnownSecrets known;

    /** @param known values that are hidden wherever they appear */
    public Redactor(KnownSecrets known) {
        this.known = known;
    }

    /** The text without secrets. */
    public String redact(String text) {
        String result = text;
        for (String value : known.values()) {
            result = result.replace(value, HIDDEN);
        }
        String lowerCase = result.toLowerCase(Locale.ROOT);
        for (Rule rule : RULES) {
            if (rule.mayMatch(lowerCase)) {
                result = rule.pattern.matcher(result).replaceAll("$1***");
            }
        }
        return result;
    }

    /** A rule for values that have a name with a {@link #SECRET_WORD}. */
    private static Rule named(String pattern) {
        return new Rule(SECRET_STEMS, Pattern.compile(pattern, Pattern.CASE_INSENSITIVE));
    }

    /** A rule that only matches a text with {@code trigger} in it. */
    private static Rule rule(String trigger, String pattern) {
        return new Rule(new String[] {trigger}, Pattern.compile(pattern, Pattern.CASE_INSENSITIVE));
    }

    /**
     * What the pattern matches after its first group is hidden.
     *
     * @param triggers one of them, in lower case, is in every text that can match: most lines have none and cost little
     */
    private record Rule(String[] triggers, Pattern pattern) {
        boolean mayMatch(String lowerCase) {
            for (String trigger : triggers) {
                if (lowerCase.contains(trigger)) {
                    return true;
                }
            }
            return false;
        }
    }
}
