package dev.fairlead.work.warmpool;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.spec.WarmMember;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A setting of a project: sessions that run without a user, so that a submit of the same session
 * starts at once. Each of them is a {@link WarmMember}.
 *
 * @param name DNS label, at most {@link #LONGEST_NAME} characters, unique within the project
 * @param project name of the project
 * @param members number of members that wait, 0 to {@link #MOST_MEMBERS}
 * @param job the session as JSON, as in a submit, possibly with a template, without name and
 *     dependencies
 * @param deleting whether the setting is deleted as soon as its members are cancelled
 */
public record WarmPool(String name, String project, int members, String job, boolean deleting) {
  public static final ConfigType<WarmPool> DOCUMENTS =
      new ConfigType<>(ConfigKind.WARM_POOL, WarmPool.class);

  /** Maximum number of pools of a project. */
  public static final int MOST = 8;

  public static final int MOST_MEMBERS = 32;

  /** The name of a member is the name of its pool, {@code -warm-} and its number. */
  public static final int LONGEST_NAME = 40;

  /** Maximum bytes of the job. */
  public static final int LARGEST_JOB = 64 * 1024;

  /** Name of the document: names of pools are unique within their project only. */
  public static String document(ProjectId project, String name) {
    return project.text() + "/" + name;
  }

  /** Names of all members that the pool can have. */
  public List<String> memberNames() {
    return IntStream.rangeClosed(1, MOST_MEMBERS)
        .mapToObj(number -> WarmMember.name(name, number))
        .toList();
  }

  /** The pool while it is deleted. */
  public WarmPool deleted() {
    return new WarmPool(name, project, 0, job, true);
  }
}
