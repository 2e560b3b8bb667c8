package dev.fairlead.work.output;

import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.regex.Pattern;

/** Limits of the outputs of a job. */
public final class Outputs {
  /** Maximum number of outputs of a job. */
  public static final int MOST = 32;

  /** Maximum size of names and values of a job together, in bytes of UTF-8. */
  public static final int MOST_BYTES = 64 * 1024;

  /**
   * Maximum size of the values that the references of a role are replaced by, in bytes of UTF-8.
   * Each member has them in its pod as environment variables.
   */
  public static final int MOST_REFERENCED_BYTES = MOST_BYTES;

  /** Description of a name, for messages. */
  public static final String NAMES =
      "1 to 63 lower case letters, digits and -, beginning with a letter";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  private Outputs() {}

  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Size of names and values in bytes of UTF-8. */
  public static int bytes(SortedMap<String, String> outputs) {
    return outputs.entrySet().stream()
        .mapToInt(output -> utf8(output.getKey()) + utf8(output.getValue()))
        .sum();
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
