package dev.fairlead.work.output;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reference to an output of a dependency, {@code ${outputs.JOB.OUTPUT}}. It is the whole value of
 * an environment variable or a whole word of a command, so Fairlead puts no value into the text of
 * a shell. {@code $${outputs.prep.model}} is the text {@code ${outputs.prep.model}}, also in the
 * text of a shell.
 *
 * @param job name or id of the dependency
 * @param output name of the output
 */
public record OutputReference(String job, String output) {
  /** Form of a reference, for messages. */
  public static final String FORM = "${outputs.JOB.OUTPUT}";

  private static final String BEGIN = RoleSpec.OUTPUT_REFERENCE;
  private static final String ESCAPED = "$" + BEGIN;
  private static final String WORKER = "worker";
  private static final Pattern WHOLE =
      Pattern.compile("\\$\\{outputs\\.([a-z0-9_-]{1,64})\\.([a-z][a-z0-9-]{0,62})}");

  /**
   * A reference in a spec.
   *
   * @param pointer JSON pointer in the job as Fairlead shows it
   * @param role index of its role, from 0
   */
  public record Use(String pointer, int role, OutputReference reference) {}

  /** The reference that is the whole text, empty for any other text. */
  public static Optional<OutputReference> of(String text) {
    Matcher whole = WHOLE.matcher(text);
    return whole.matches()
        ? Optional.of(new OutputReference(whole.group(1), whole.group(2)))
        : Optional.empty();
  }

  /** Returns whether the text contains the start of a reference that is not escaped. */
  public static boolean begins(String text) {
    return text.replace(ESCAPED, "").contains(BEGIN);
  }

  /** The text for a program: each escaped start of a reference without its first {@code $}. */
  public static String unescaped(String text) {
    return text.replace(ESCAPED, BEGIN);
  }

  /** Returns the form that is written in a spec. */
  public String text() {
    return BEGIN + job + "." + output + "}";
  }

  public boolean names(JobId id, String name) {
    return job.equals(name) || job.equals(id.text());
  }

  /** All references of the spec, in the order of its roles. */
  public static List<Use> uses(JobSpec spec) {
    List<Use> uses = new ArrayList<>();
    boolean plain = spec.roles().size() == 1 && spec.roles().getFirst().name().equals(WORKER);
    for (int i = 0; i < spec.roles().size(); i++) {
      RoleSpec role = spec.roles().get(i);
      Walk walk = new Walk(uses, i);
      String at = plain ? "" : "/roles/" + i;
      walk.container(at, role.env(), role.command());
      walk.containers(at + "/initContainers/", role.extraContainers().init());
      walk.containers(at + "/sidecars/", role.extraContainers().sidecars());
    }
    return uses;
  }

  /** The distinct references of the spec, in the order of its roles. */
  public static List<OutputReference> all(JobSpec spec) {
    return uses(spec).stream().map(Use::reference).distinct().toList();
  }

  private record Walk(List<Use> uses, int role) {
    private void containers(String at, List<ContainerSpec> containers) {
      for (int i = 0; i < containers.size(); i++) {
        container(at + i, containers.get(i).env(), containers.get(i).command());
      }
    }

    private void container(String at, SortedMap<String, String> env, CommandSpec command) {
      env.forEach((name, value) -> add(at + "/env/" + name, value));
      words(at + "/command/", command.command());
      words(at + "/args/", command.args());
    }

    private void words(String at, List<String> words) {
      for (int i = 0; i < words.size(); i++) {
        add(at + i, words.get(i));
      }
    }

    private void add(String pointer, String text) {
      OutputReference.of(text).ifPresent(found -> uses.add(new Use(pointer, role, found)));
    }
  }
}
