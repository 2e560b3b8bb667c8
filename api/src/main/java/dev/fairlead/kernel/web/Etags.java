package dev.fairlead.kernel.web;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Strong entity tags: a row's version in quotes. */
public final class Etags {
  private static final Pattern STRONG = Pattern.compile("\"([0-9]{1,18})\"");
  private static final Pattern TAG = Pattern.compile("(W/)?\"[!#-~\\x80-\\xff]*\"");
  private static final int MOST = 64;

  private Etags() {}

  public static String of(long version) {
    return "\"" + version + "\"";
  }

  /**
   * Returns the version that the caller has seen, by RFC 9110, section 13.1.1: {@code *} matches
   * the current version, and a list matches if it contains the current version. A weak tag never
   * matches.
   *
   * @param current reads the current version, only for {@code *} and lists
   * @throws Refusal INVALID_PARAMETER for text that is not a list of tags, VERSION_MISMATCH if no
   *     tag can match the object
   */
  static long expected(String ifMatch, LongSupplier current) {
    if (ifMatch.strip().equals("*")) {
      return current.getAsLong();
    }
    List<Long> seen = versions(ifMatch);
    if (seen.size() == 1) {
      return seen.getFirst();
    }
    long now = seen.isEmpty() ? 0 : current.getAsLong();
    if (!seen.contains(now)) {
      throw new Refusal(
          ProblemCode.VERSION_MISMATCH,
          "No ETag in If-Match matches the object. Read it again and send its current ETag.");
    }
    return now;
  }

  private static List<Long> versions(String ifMatch) {
    List<Long> versions = new ArrayList<>();
    String[] tags = ifMatch.split(",", MOST + 1);
    for (String tag : tags) {
      Matcher strong = STRONG.matcher(tag.strip());
      if (strong.matches()) {
        versions.add(Long.parseLong(strong.group(1)));
      } else if (tags.length > MOST || !TAG.matcher(tag.strip()).matches()) {
        throw Parameters.refused(
            "If-Match", "must be *, or the ETag from a read of the object, for example \"7\"");
      }
    }
    return versions;
  }
}
