package dev.fairlead.work.attempt;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.Optional;

/**
 * Names on a cluster: derived from the attempt's id, so that a repeated create meets the same
 * object.
 */
public final class ObjectNames {
  public static final String PREFIX = "fl-";
  public static final String LABEL_PREFIX = "fairlead.dev/";

  /** Annotation of a pod with a checkpoint request: its deadline in ISO 8601. */
  public static final String CHECKPOINT = LABEL_PREFIX + "checkpoint";

  /** Directory of the files that Fairlead gives a member. */
  public static final String FILES = "/var/run/fairlead";

  /** Content of the annotation, empty without a request. */
  public static final String CHECKPOINT_FILE = FILES + "/checkpoint";

  /** Lists the members of a fixed gang in order of rank. */
  public static final String HOSTS_FILE = FILES + "/hosts";

  /** Name of the port of a replica, so that each version may use another number. */
  public static final String SERVING_PORT = "serve";

  private ObjectNames() {}

  /** Anchor, service and budget of an attempt. */
  public static String attempt(AttemptId attempt) {
    return PREFIX + attempt.bare();
  }

  /** The attempt of a pod with that name, empty for a name that Fairlead never creates. */
  public static Optional<AttemptId> attemptOf(String pod) {
    int end = PREFIX.length() + IdText.LENGTH;
    return pod.startsWith(PREFIX) && pod.length() > end && pod.charAt(end) == '-'
        ? IdText.decode(pod.substring(PREFIX.length(), end)).map(AttemptId::new)
        : Optional.empty();
  }

  /** A member's pod. */
  public static String pod(AttemptId attempt, MemberKey member) {
    return attempt(attempt) + "-" + member.text();
  }
}
