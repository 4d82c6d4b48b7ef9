import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Receives webhook deliveries of the Verification Service. Standard library only, Java 17 or later:
 * {@code java Receiver.java}.
 *
 * <p>Settings, from the environment:
 *
 * <ul>
 *   <li>WEBHOOK_SECRET: the webhook signing secret (required)
 *   <li>PORT: the port on 127.0.0.1; 0 takes a free one (default 8080)
 *   <li>TOLERANCE_S: how many seconds old, or ahead, a signature may be (default 300)
 * </ul>
 */
public final class Receiver {
    private static final int MAX_BODY_BYTES = 16 * 1024 * 1024;

    /** Exactly two parts, the time first. */
    private static final Pattern HEADER = Pattern.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})");

    private final SecretKeySpec secret;
    private final long toleranceS;
    private final Deliveries deliveries = new Deliveries();

    private Receiver(String secret, long toleranceS) {
        this.secret = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
        this.toleranceS = toleranceS;
    }

    /** Whether the header is the signature of exactly these bytes, and of this time. */
    private boolean signatureIsValid(String header, byte[] body, long nowS) throws GeneralSecurityException {
        Matcher parts = HEADER.matcher(header);
        if (!parts.matches()) {
            return false;
        }
        String timestamp = parts.group(1);
        // A Mac is not safe for several threads: each delivery gets its own.
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(secret);
        // The text of the timestamp is signed, not the number, so it is used as it stands.
        mac.update((timestamp + ".").getBytes(StandardCharsets.US_ASCII));
        byte[] expected = mac.doFinal(body);
        // Not Arrays.equals: how long that takes tells how many bytes were guessed right.
        if (!MessageDigest.isEqual(expected, HexFormat.of().parseHex(parts.group(2)))) {
            return false;
        }
        // An old signature is a recorded delivery that somebody sends again.
        return Math.abs(nowS - Long.parseLong(timestamp)) <= toleranceS;
    }

    /** The status of the answer: 204 to what is taken, 400 to what is not. */
    private int receive(HttpExchange exchange) throws IOException, GeneralSecurityException {
        if (!exchange.getRequestMethod().equals("POST")) {
            return 405;
        }
        // The raw bytes, before anything parses them: what is printed anew has another signature.
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) {
            return 413;
        }
        // Several headers: somebody added one. Neither is believed.
        List<String> headers = exchange.getRequestHeaders().getOrDefault("X-Service-Signature", List.of());
        if (headers.size() != 1 || !signatureIsValid(headers.get(0), body, Instant.now().getEpochSecond())) {
            return 400;
        }
        // Only what is signed is parsed.
        Map<String, String> envelope = Envelope.texts(new String(body, StandardCharsets.UTF_8));
        if (!envelope.containsKey("verificationId")) {
            return 400;
        }
        deliveries.actOnce(envelope);
        return 204;
    }

    private void answer(HttpExchange exchange) throws IOException {
        int status = 500;
        try {
            status = receive(exchange);
        } catch (GeneralSecurityException | RuntimeException error) {
            // Anything but 2xx: the service tries again later.
            System.err.println("a delivery failed: " + error.getClass().getName());
        }
        if (status != 204) {
            // A body that was not read to its end is no request.
            exchange.getResponseHeaders().set("Connection", "close");
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /**
     * The verifications acted on so far. A service would keep them in its database, with a unique
     * index, and add the id in the same transaction as what it does about it.
     */
    private static final class Deliveries {
        private final Set<String> seen = new HashSet<>();

        /**
         * Acts on a verification, unless that was done before. Deliveries come at least once. One at
         * a time: a duplicate that comes meanwhile waits, and is not told that all is done before
         * it is.
         */
        synchronized void actOnce(Map<String, String> envelope) {
            String id = envelope.get("verificationId");
            if (seen.contains(id)) {
                return;
            }
            act(envelope);
            // Only now: had acting failed, the next attempt must try again.
            seen.add(id);
        }

        /** Your application's work. Should be short: after 10 seconds the service tries again. */
        private void act(Map<String, String> envelope) {
            System.out.println("accepted " + envelope.get("verificationId") + " " + envelope.get("status"));
        }
    }

    /**
     * The texts at the top of a JSON object. Java has no JSON reader of its own: with Jackson or
     * Gson, {@code readTree(body).get("verificationId")} takes the place of this class.
     */
    private static final class Envelope {
        private final String json;
        private int at;

        private Envelope(String json) {
            this.json = json;
        }

        /** The members whose values are texts; empty where this is no JSON object. */
        static Map<String, String> texts(String json) {
            try {
                return new Envelope(json).object();
            } catch (IllegalArgumentException | StringIndexOutOfBoundsException error) {
                return Map.of();
            }
        }

        private Map<String, String> object() {
            Map<String, String> texts = new HashMap<>();
            expect('{');
            for (boolean first = true; peek() != '}'; first = false) {
                if (!first) {
                    expect(',');
                }
                String name = text();
                expect(':');
                if (peek() == '"') {
                    texts.put(name, text());
                } else {
                    skip();
                }
            }
            return texts;
        }

        /** Goes behind a value that is no text. Only brackets and texts matter for that. */
        private void skip() {
            int depth = 0;
            for (char next = peek(); depth > 0 || (next != ',' && next != '}'); next = peek()) {
                if (next == '"') {
                    text();
                    continue;
                }
                depth += next == '{' || next == '[' ? 1 : next == '}' || next == ']' ? -1 : 0;
                at++;
            }
        }

        private String text() {
            expect('"');
            StringBuilder text = new StringBuilder();
            for (char next = json.charAt(at++); next != '"'; next = json.charAt(at++)) {
                text.append(next == '\\' ? escaped() : next);
            }
            return text.toString();
        }

        private char escaped() {
            char escape = json.charAt(at++);
            if (escape == 'u') {
                at += 4;
                return (char) Integer.parseInt(json.substring(at - 4, at), 16);
            }
            int known = "bfnrt".indexOf(escape);
            return known < 0 ? escape : "\b\f\n\r\t".charAt(known);
        }

        private void expect(char wanted) {
            if (peek() != wanted) {
                throw new IllegalArgumentException("no JSON object");
            }
            at++;
        }

        /** The next character that is no white space. */
        private char peek() {
            while (" \t\r\n".indexOf(json.charAt(at)) >= 0) {
                at++;
            }
            return json.charAt(at);
        }
    }

    private static String setting(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** Serves until stopped. */
    public static void main(String[] arguments) throws IOException {
        String secret = setting("WEBHOOK_SECRET", "");
        if (secret.isEmpty()) {
            // With an empty secret anybody could sign.
            System.err.println("WEBHOOK_SECRET is not set: give the webhook signing secret");
            System.exit(1);
        }
        Receiver receiver = new Receiver(secret, Long.parseLong(setting("TOLERANCE_S", "300")));
        int port = Integer.parseInt(setting("PORT", "8080"));
        // How many seconds a request may take to arrive. Without this, slow clients hold the threads.
        System.setProperty("sun.net.httpserver.maxReqTime", "30");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 0);
        server.createContext("/", receiver::answer);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println("listening on 127.0.0.1:" + server.getAddress().getPort());
    }
}
