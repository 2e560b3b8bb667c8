package dev.fairlead.work.launcher;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values that expressions of a launcher read, for one member. The expressions are closed:
 *
 * <ul>
 *   <li>{@code ${rank}}, {@code ${members}}, {@code ${world}}: place of the member from 0, members
 *       of the gang, processes of all members. Only in gangs of fixed size
 *   <li>{@code ${least}}, {@code ${restarts}}: minimum number of members, and number of permitted
 *       rendezvous
 *   <li>{@code ${role}}, {@code ${index}}, {@code ${processes}}, {@code ${attempt}}, {@code
 *       ${head}}: role and index of the member, its processes, the id of the attempt, the DNS name
 *       of the first member
 *   <li>{@code ${cpus}}, {@code ${memory}}: whole cores of the member, at least 1, and its memory
 *       in bytes
 *   <li>{@code ${host(ROLE,I)}}, {@code ${hosts(ROLE,PORT)}}: DNS name of a member, and {@code
 *       host:port} of all members of a role
 *   <li>{@code ${json(hosts,PORT)}}: a JSON object with the {@code host:port} list of each role
 *   <li>{@code ${port.NAME}}, {@code ${file(NAME)}}: a port and the path of a file of the launcher
 *   <li>{@code ${hostsFile}}: path of the host file, empty for a member without peers
 * </ul>
 *
 * @param cpus whole cores of the member, from 1
 * @param memory memory of the member in bytes
 * @param fixed null in a gang of changing size
 * @param hosts DNS names of the members of each role, in order of their index
 */
@RecordBuilder
public record MemberValues(
    String role,
    int index,
    int processes,
    long cpus,
    long memory,
    String attempt,
    String head,
    String hostsFile,
    int members,
    int least,
    int restarts,
    @Nullable Gang fixed,
    SortedMap<String, List<String>> hosts) {
  /**
   * The member's place in a gang of fixed size.
   *
   * @param world processes of all members
   */
  public record Gang(long rank, int world) {}

  /** Directory of the files of a launcher in every member. */
  public static final String FILES = "/var/run/fairlead/launcher";

  private static final Pattern EXPRESSION = Pattern.compile("\\$\\{([^{}]*)\\}");
  private static final Pattern CALL =
      Pattern.compile("(host|hosts|json|file)\\(\\s*([a-z0-9-]+)\\s*(?:,\\s*([a-z0-9-]+)\\s*)?\\)");
  private static final Pattern NAMES = Pattern.compile("\\$\\{\\s*(host|hosts|json)\\(");
  private static final Set<String> FIXED = Set.of("rank", "world");
  private static final Set<String> PLAIN =
      Set.of(
          "role",
          "index",
          "processes",
          "cpus",
          "memory",
          "attempt",
          "head",
          "hostsFile",
          "members",
          "least",
          "restarts");

  /** Returns whether an expression of the text reads the names of members. */
  static boolean namesMembers(String text) {
    return NAMES.matcher(text).find();
  }

  public SortedMap<String, String> variables(Launcher launcher, boolean replaces) {
    SortedMap<String, String> variables = new TreeMap<>();
    launcher
        .variables(fixed == null, replaces)
        .forEach((name, value) -> variables.put(name, render(value, launcher)));
    return variables;
  }

  /** Words that the launcher puts before the command of this member. */
  public List<String> wrapper(Launcher launcher) {
    return launcher.wrapper().stream().map(word -> render(word, launcher)).toList();
  }

  private String render(String text, Launcher launcher) {
    return EXPRESSION
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(value(found.group(1).strip(), launcher)));
  }

  private String value(String expression, Launcher launcher) {
    Matcher call = CALL.matcher(expression);
    if (call.matches()) {
      return call(call.group(1), call.group(2), call.group(3), launcher);
    }
    if (expression.startsWith("port.")) {
      return Integer.toString(port(expression.substring("port.".length()), launcher));
    }
    return switch (expression) {
      case "role" -> role;
      case "index" -> Integer.toString(index);
      case "processes" -> Integer.toString(processes);
      case "cpus" -> Long.toString(cpus);
      case "memory" -> Long.toString(memory);
      case "attempt" -> attempt;
      case "head" -> head;
      case "hostsFile" -> hostsFile;
      case "members" -> Integer.toString(members);
      case "least" -> Integer.toString(least);
      case "restarts" -> Integer.toString(restarts);
      case "rank" -> fixed == null ? "" : Long.toString(fixed.rank());
      case "world" -> fixed == null ? "" : Integer.toString(fixed.world());
      default -> throw new IllegalStateException("no expression " + expression);
    };
  }

  private String call(String function, String first, @Nullable String second, Launcher launcher) {
    return switch (function) {
      case "file" -> FILES + "/" + first;
      case "host" -> {
        List<String> of = hosts.getOrDefault(first, List.of());
        int at = Integer.parseInt(second == null ? "0" : second);
        yield at < of.size() ? of.get(at) : "";
      }
      case "hosts" -> String.join(",", addresses(first, second, launcher));
      case "json" ->
          hosts.keySet().stream()
              .map(role -> "\"%s\": %s".formatted(role, quoted(addresses(role, second, launcher))))
              .collect(Collectors.joining(", ", "{", "}"));
      default -> throw new IllegalStateException("no function " + function);
    };
  }

  private List<String> addresses(String role, @Nullable String port, Launcher launcher) {
    String suffix = port == null ? "" : ":" + port(port, launcher);
    return hosts.getOrDefault(role, List.of()).stream().map(host -> host + suffix).toList();
  }

  private static String quoted(List<String> texts) {
    return texts.stream().collect(Collectors.joining("\", \"", "[\"", "\"]"));
  }

  private static int port(String name, Launcher launcher) {
    return launcher.ports().getOrDefault(name, 0);
  }

  /**
   * Refuses an expression that no member can evaluate.
   *
   * @param fixed whether the gang has a fixed size
   * @throws IllegalArgumentException with the field and the expression
   */
  static void check(String field, String text, Launcher launcher, boolean fixed) {
    Matcher found = EXPRESSION.matcher(text);
    while (found.find()) {
      String problem = problem(found.group(1).strip(), launcher, fixed);
      if (problem != null) {
        throw LauncherFile.bad(field, "has the expression " + found.group() + ", " + problem);
      }
    }
  }

  private static @Nullable String problem(String expression, Launcher launcher, boolean fixed) {
    Matcher call = CALL.matcher(expression);
    if (call.matches()) {
      return problem(call.group(1), call.group(2), call.group(3), launcher);
    }
    if (expression.startsWith("port.")) {
      return knownPort(expression.substring("port.".length()), launcher);
    }
    if (FIXED.contains(expression)) {
      return fixed ? null : "which has no value when the size of the gang changes";
    }
    return PLAIN.contains(expression) ? null : "which is unknown";
  }

  private static @Nullable String problem(
      String function, String first, @Nullable String second, Launcher launcher) {
    return switch (function) {
      case "file" ->
          second == null && launcher.files().containsKey(first)
              ? null
              : "but files has no " + first;
      case "host" ->
          second != null && second.matches("[0-9]{1,5}") ? null : "which needs a role and an index";
      case "json" -> first.equals("hosts") ? knownPort(second, launcher) : "which is unknown";
      default -> knownPort(second, launcher);
    };
  }

  private static @Nullable String knownPort(@Nullable String name, Launcher launcher) {
    return name == null || launcher.ports().containsKey(name) ? null : "but ports has no " + name;
  }
}
