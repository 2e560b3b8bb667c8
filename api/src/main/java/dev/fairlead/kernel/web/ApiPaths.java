package dev.fairlead.kernel.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.Locale;
import java.util.UUID;

/** Paths of the API, and ids in them. */
public final class ApiPaths {
  /** The version that is served. Mappings name it, and it is the second segment of the path. */
  public static final String V1 = "v1";

  /** Prefix of every endpoint of the version. */
  public static final String ROOT = "/api/" + V1;

  /** A job's id in a path. The excluded words are collections at the same level. */
  public static final String JOB = "{job:(?!plan$|summary$|bulk-cancel$).+}";

  private ApiPaths() {}

  /** A path below the served version. */
  public static String v1(String path) {
    return ROOT + path;
  }

  /**
   * @throws Refusal NOT_FOUND for text that is not an id of that kind: no such object can exist
   */
  public static UUID id(IdKind kind, String text) {
    return IdText.decode(kind, text)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no "
                    + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ')
                    + " with this id. Ids look like "
                    + kind.prefix()
                    + "_01k..."));
  }
}
