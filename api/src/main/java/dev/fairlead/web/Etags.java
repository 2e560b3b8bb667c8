package dev.fairlead.web;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Strong entity tags: a row's version in quotes. */
public final class Etags {
  private static final Pattern STRONG = Pattern.compile("\"([0-9]{1,18})\"");

  private Etags() {}

  public static String of(long version) {
    return "\"" + version + "\"";
  }

  /**
   * The version that the caller has seen.
   *
   * @throws Refusal PRECONDITION_REQUIRED without If-Match, VERSION_MISMATCH for a tag that is none
   *     of ours
   */
  public static long expected(@Nullable String ifMatch) {
    if (ifMatch == null) {
      throw new Refusal(
          ProblemCode.PRECONDITION_REQUIRED,
          "Read the object first and send its ETag in the header If-Match.");
    }
    Matcher strong = STRONG.matcher(ifMatch.strip());
    if (!strong.matches()) {
      throw new Refusal(
          ProblemCode.VERSION_MISMATCH,
          "If-Match must be the ETag that reading the object gave, for example \"7\".");
    }
    return Long.parseLong(strong.group(1));
  }
}
