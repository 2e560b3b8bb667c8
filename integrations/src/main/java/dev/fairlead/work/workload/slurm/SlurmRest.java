package dev.fairlead.work.workload.slurm;

import dev.fairlead.kernel.egress.SafeHttps;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls of slurmrestd (https://slurm.schedmd.com/rest_api.html) in the newest version that both
 * sides know. Thread-safe.
 */
final class SlurmRest {
  /** Supported versions, the newest first. */
  static final List<String> KNOWN =
      List.of(
          "v0.0.45", "v0.0.44", "v0.0.43", "v0.0.42", "v0.0.41", "v0.0.40", "v0.0.38", "v0.0.37");

  /** Error that Slurm 22.05 returns for every request with an invalid or expired token. */
  private static final String REJECTED = "Unspecified error";

  /** Text that slurmrestd returns, in its spelling, for a path of a plugin that is not loaded. */
  private static final String NO_SUCH_PATH = "Unable find requested URL";

  private static final String UNTRUSTED =
      "Slurm refuses the token. It may have expired: create a new one with scontrol token, and set"
          + " it as the connection of the cluster";

  private static final Pattern PATH = Pattern.compile("/slurm/(v[0-9.]+)/jobs/?");
  static final int LONGEST_MESSAGE = 300;
  static final int BAD = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int UNKNOWN_PATH = 404;

  /** Error of later versions for the same (SLURM_PROTOCOL_AUTHENTICATION_ERROR). */
  private static final int UNAUTHENTICATED = 1007;

  /** Error of the accounting for a job without a record (ESLURM_REST_EMPTY_RESULT). */
  private static final int NOTHING_FOUND = 9003;

  private final JsonMapper json = JsonMapper.builder().build();
  private final Carrier carrier;
  private volatile @Nullable String version;

  SlurmRest(Carrier carrier) {
    this.carrier = carrier;
  }

  /** slurmrestd or slurmctld did not answer, or not usably. The message is for people. */
  static final class Away extends Exception {
    private static final long serialVersionUID = 1;

    Away(String message) {
      super(message);
    }
  }

  /** slurmctld answered, and refuses the request. The message is for people. */
  static final class Denied extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean malformed;

    Denied(String message, boolean malformed) {
      super(message);
      this.malformed = malformed;
    }

    /** Returns whether slurmrestd itself refused the body of the request. */
    boolean malformed() {
      return malformed;
    }
  }

  /** Response of a server, of an error only the beginning. */
  record Answer(int status, String body) {}

  /** Carries requests to slurmrestd. */
  @FunctionalInterface
  interface Carrier {
    Answer call(String method, String path, byte @Nullable [] body) throws Away;
  }

  /**
   * Answer of slurmctld to a read.
   *
   * @param list field with the list that the answer must have, such as {@code jobs}
   */
  JsonNode read(String path, String list) throws Away, Denied {
    String used = version();
    JsonNode document = ask("GET", "/slurm/" + used + "/" + path, null);
    JsonNode sound = withList(document, list, document.path("errors").isEmpty());
    return SlurmFields.differ(used) ? SlurmFields.answer(sound, list) : sound;
  }

  /**
   * Records of a job in the accounting, empty if it has none.
   *
   * @throws Denied if this slurmrestd serves no accounting
   */
  List<JsonNode> accounting(long job) throws Away, Denied {
    String used = version();
    JsonNode document = ask("GET", "/slurmdb/" + used + "/job/" + job, null);
    boolean answered =
        document
            .path("errors")
            .valueStream()
            .allMatch(error -> error.path("error_number").asInt(0) == NOTHING_FOUND);
    return withList(document, "jobs", answered)
        .path("jobs")
        .valueStream()
        .map(each -> SlurmFields.differ(used) ? SlurmFields.ended(each) : each)
        .toList();
  }

  /** slurmrestd sends status 200, errors and an empty list while slurmdbd is down. */
  private static JsonNode withList(JsonNode document, String list, boolean sound) throws Away {
    if (!sound) {
      throw new Away("slurmrestd cannot list the " + list + ": " + errors(document));
    }
    if (!document.path(list).isArray()) {
      throw new Away("the answer of slurmrestd has no list of " + list);
    }
    return document;
  }

  /** Submits a job with the fields of v0.0.38. */
  JsonNode submit(Object body) throws Away, Denied {
    String used = version();
    JsonNode job = json.valueToTree(body);
    return ask(
        "POST",
        "/slurm/" + used + "/job/submit",
        json.writeValueAsBytes(SlurmFields.differ(used) ? SlurmFields.submission(job) : job));
  }

  JsonNode delete(String path) throws Away, Denied {
    return ask("DELETE", "/slurm/" + version() + "/" + path, null);
  }

  /** The version in use, empty before the first answer. */
  String usedVersion() {
    String used = version;
    return used == null ? "" : used;
  }

  private String version() throws Away, Denied {
    String used = version;
    if (used == null) {
      used = newest(ask("GET", "/openapi/v3", null));
      version = used;
    }
    return used;
  }

  /** Returns the newest supported version in the document of the server. */
  static String newest(JsonNode document) throws Away {
    Set<String> offered = new TreeSet<>();
    for (String path : document.path("paths").propertyNames()) {
      Matcher matcher = PATH.matcher(path);
      if (matcher.matches()) {
        offered.add(matcher.group(1));
      }
    }
    return KNOWN.stream()
        .filter(offered::contains)
        .findFirst()
        .orElseThrow(() ->
            new Away(
                "slurmrestd offers the REST versions %s, and Fairlead supports %s. Start slurmrestd with a supported version (option -s)"
                    .formatted(
                        offered.isEmpty() ? "none" : String.join(", ", offered),
                        String.join(", ", KNOWN))));
  }

  private JsonNode ask(String method, String path, byte @Nullable [] body) throws Away, Denied {
    Answer answer = carrier.call(method, path, body);
    if (answer.status() == UNAUTHORIZED) {
      throw new Away(UNTRUSTED);
    }
    if (answer.status() == UNKNOWN_PATH && answer.body().startsWith(NO_SUCH_PATH)) {
      throw new Denied("slurmrestd does not serve " + path, false);
    }
    JsonNode document;
    try {
      document = json.readTree(answer.body());
    } catch (JacksonException broken) {
      throw new Away(
          "slurmrestd answered with status %d and no JSON: %s"
              .formatted(answer.status(), SafeHttps.brief(answer.body(), LONGEST_MESSAGE)));
    }
    if (answer.status() >= BAD) {
      String errors = errors(document);
      if (answer.status() != BAD && (errors.startsWith(REJECTED) || rejected(document))) {
        throw new Away(UNTRUSTED);
      }
      if (answer.status() != BAD && controllerAway(errors)) {
        throw new Away("slurmrestd answers, and slurmctld does not: " + errors);
      }
      throw new Denied(errors, answer.status() == BAD);
    }
    return document;
  }

  private static boolean rejected(JsonNode document) {
    return document
        .path("errors")
        .valueStream()
        .anyMatch(error -> error.path("error_number").asInt(0) == UNAUTHENTICATED);
  }

  private static boolean controllerAway(String errors) {
    return Stream.of("contact", "onnect", "imed out", "communication", "zero bytes")
        .anyMatch(errors::contains);
  }

  private static String errors(JsonNode document) {
    String all =
        document
            .path("errors")
            .valueStream()
            .map(error ->
                Stream.of(error.path("error").asString(""), error.path("description").asString(""))
                    .filter(text -> !text.isEmpty())
                    .distinct()
                    .collect(Collectors.joining(": ")))
            .filter(text -> !text.isEmpty())
            .distinct()
            .collect(Collectors.joining(", "));
    return SafeHttps.brief(all.isEmpty() ? "no reason given" : all, LONGEST_MESSAGE);
  }
}
