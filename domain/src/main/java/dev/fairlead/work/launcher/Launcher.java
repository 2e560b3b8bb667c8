package dev.fairlead.work.launcher;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Start of a job's processes, defined by a file of {@code launchers/}. Values of variables and
 * words of the wrapper may contain expressions, see {@link MemberValues}.
 *
 * @param description one sentence that helps a user to choose a launcher
 * @param wrapper arguments before the job's own command
 * @param needsRun whether a job needs a command
 * @param run command of a job without its own, empty if none
 * @param roles names that roles may have, or empty to allow all
 * @param ports by name, each from 1,024 to 65,535
 * @param env variables of a gang of fixed size
 * @param elastic variables of an elastic gang, or null to refuse {@code minWorkers}
 * @param repair further variables of a gang with member replacement, or null to refuse {@code
 *     gangRepair}
 * @param reserved patterns of variables that a job cannot set. The launcher does not replace other
 *     variables of a job.
 * @param files by name, mounted in every member
 */
@RecordBuilder
public record Launcher(
    String name,
    String description,
    List<String> wrapper,
    boolean needsRun,
    List<String> run,
    SortedSet<String> roles,
    SortedMap<String, Integer> ports,
    SortedMap<String, String> env,
    @Nullable SortedMap<String, String> elastic,
    @Nullable SortedMap<String, String> repair,
    List<Pattern> reserved,
    SortedMap<String, String> files) {
  /** The name of the launcher that adds nothing. */
  public static final String NONE = "none";

  /** Name of the file that runs the server of a session. */
  private static final String SESSION = "session";

  /** Returns whether the launcher sets the variable, or a variable of the job could break it. */
  public boolean reserves(String variable) {
    return reserved.stream().anyMatch(pattern -> pattern.matcher(variable).matches());
  }

  /** Returns whether the launcher starts sessions. */
  public boolean session() {
    return files.containsKey(SESSION);
  }

  /** Returns whether the other members survive when a member is lost and replaced. */
  public boolean repairs() {
    return repair != null;
  }

  /** Returns whether a variable or a word of the wrapper holds the names of many members. */
  public boolean namesMembers() {
    return Stream.of(env, elastic, repair)
            .filter(Objects::nonNull)
            .flatMap(variables -> variables.values().stream())
            .anyMatch(MemberValues::namesMembers)
        || wrapper.stream().anyMatch(MemberValues::namesMembers);
  }

  /** Returns whether an elastic gang survives the sudden loss of a member. */
  public boolean resizes() {
    return elastic != null;
  }

  /**
   * Variables with their expressions.
   *
   * @param resized whether the gang is elastic or replaces members
   */
  SortedMap<String, String> variables(boolean resized, boolean replaces) {
    if (!resized || elastic == null) {
      return env;
    }
    SortedMap<String, String> variables = new TreeMap<>(elastic);
    if (replaces && repair != null) {
      variables.putAll(repair);
    }
    return variables;
  }
}
