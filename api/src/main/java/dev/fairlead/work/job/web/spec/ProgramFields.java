package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.spec.CommandSpec;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Readers of the fields of {@link ProgramRequest} and {@link ProgramRequest.Member}, and their
 * rules.
 */
final class ProgramFields {
  static final int LONGEST_IMAGE = 512;
  static final int MOST_WORDS = 1000;
  private static final int LONGEST_WORD = 32 * 1024;
  private static final String RUN = "run";

  private ProgramFields() {}

  /** Reports a program in both forms. */
  static void check(Fields given) {
    if (given.has(RUN) && (given.has("command") || given.has("args"))) {
      given.refuse(
          RUN, ProblemCode.CONFLICTING_FIELDS, "Give run, or command and args, not both.", null);
    }
  }

  /** Reports variables that Fairlead or the launcher sets. */
  static void reserved(Fields given, String name, Launcher launcher) {
    entries(given, name)
        .forEach((variable, value) -> {
          if (Variables.RESERVED.matcher(variable).matches() || launcher.reserves(variable)) {
            value.refuse(
                ProblemCode.RESERVED_NAME,
                variable + " is set by the platform, or would interfere with it. Remove it",
                null);
          }
        });
  }

  /** The values of an object, none unless it is one. */
  static SortedMap<String, Value> entries(Fields given, String name) {
    return given
        .get(name)
        .filter(Value::isObject)
        .map(value -> value.entries(Integer.MAX_VALUE))
        .orElseGet(TreeMap::new);
  }

  /** Requires that a reference to an output of another job is a complete word or value. */
  private static Optional<String> whole(Value value, String text) {
    return !OutputReference.begins(text) || OutputReference.of(text).isPresent()
        ? Optional.of(text)
        : value.bad(
            "must be exactly one reference %s, with the name or id of a job in dependsOn"
                .formatted(OutputReference.FORM),
            null);
  }

  /** A shell would read a reference as shell code. */
  private static Optional<String> shell(Value value, String text) {
    return !OutputReference.begins(text)
        ? Optional.of(text)
        : value.bad(
            "is interpreted by a shell, so it cannot reference outputs. Put %s into env and read the variable here"
                .formatted(OutputReference.FORM),
            null);
  }

  private static List<String> words(Value value) {
    return value.items(MOST_WORDS).stream()
        .map(item -> item.anyText(LONGEST_WORD).flatMap(text -> whole(item, text)))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Reads an image reference. */
  static final class Image extends FieldReader<String> {
    private static final Pattern IMAGE =
        Pattern.compile(
            "[a-zA-Z0-9][a-zA-Z0-9._-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
                + "(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[a-f0-9]{64})?");

    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(LONGEST_IMAGE)
          .flatMap(text ->
              IMAGE.matcher(text).matches()
                  ? Optional.of(text)
                  : value.bad(
                      "must be an image reference such as registry.example.com/team/train:2.9, not "
                          + value.shown(),
                      null));
    }
  }

  /** Reads one text for a shell, or words without a shell. */
  static final class Run extends FieldReader<CommandSpec> {
    @Override
    protected Optional<CommandSpec> read(Value run) {
      if (run.isText()) {
        return run.text(LONGEST_WORD).flatMap(text -> shell(run, text)).map(CommandSpec::shell);
      }
      if (!run.isList()) {
        return run.bad("must be a text or a list of words", null);
      }
      List<String> words = words(run);
      return words.isEmpty()
          ? run.bad("must have at least one word", null)
          : Optional.of(CommandSpec.exec(words));
    }
  }

  /** Reads words of a command, which may be empty texts. */
  static final class Words extends FieldReader<List<String>> {
    @Override
    protected Optional<List<String>> read(Value value) {
      return Optional.of(words(value));
    }
  }

  /** Reads one text, or a list of texts, each for a shell. */
  static final class Setup extends FieldReader<List<String>> {
    private static final int MOST = 64;

    /** Quotes take four characters in the script, and Linux limits a word to 128 KiB. */
    private static final int LONGEST = 16 * 1024;

    @Override
    protected Optional<List<String>> read(Value setup) {
      List<String> commands = setup.texts(MOST, LONGEST);
      commands.forEach(text -> shell(setup, text));
      if (commands.stream().mapToInt(String::length).sum() > LONGEST) {
        setup.refuse(
            ProblemCode.LIMIT_EXCEEDED,
            "setup has more than %d characters. Write a script into the image or the workdir"
                .formatted(LONGEST),
            null);
      }
      return Optional.of(commands);
    }
  }

  /** Reads environment variables: names that a shell can use, 64 KiB in all. */
  static final class Variables extends FieldReader<SortedMap<String, String>> {
    private static final int MOST = 1000;
    private static final int LARGEST = 64 * 1024;
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");
    private static final Pattern RESERVED =
        Pattern.compile(
            "(NVIDIA_VISIBLE|NVIDIA_DRIVER|CUDA_VISIBLE|FAIRLEAD_|KUBERNETES_).*|LD_PRELOAD|LD_AUDIT");

    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      SortedMap<String, String> env =
          named(value, MOST, of -> of.anyText(LARGEST).flatMap(text -> whole(of, text)));
      long size =
          env.entrySet().stream().mapToLong(e -> e.getKey().length() + e.getValue().length()).sum();
      if (size > LARGEST) {
        value.refuse(
            ProblemCode.LIMIT_EXCEEDED,
            "env has " + size + " characters; at most " + LARGEST + " are allowed",
            null);
      }
      return Optional.of(env);
    }
  }

  /** Reads environment variables with keys of secrets. */
  static final class SecretVariables extends FieldReader<SortedMap<String, JobParts.SecretKey>> {
    private static final int MOST = 100;

    @Override
    protected Optional<SortedMap<String, JobParts.SecretKey>> read(Value value) {
      return Optional.of(named(value, MOST, of -> BodyBinder.part(of, JobParts.SecretKey.class)));
    }
  }

  private static <T> SortedMap<String, T> named(
      Value value, int most, Function<Value, Optional<T>> read) {
    SortedMap<String, T> variables = new TreeMap<>();
    value
        .entries(most)
        .forEach((name, of) -> {
          Optional<T> given = read.apply(of);
          if (given.isPresent() && !Variables.NAME.matcher(name).matches()) {
            of.bad(
                "is not a valid name of an environment variable: use letters, digits and _, not"
                    + " beginning with a digit",
                null);
          }
          given.ifPresent(text -> variables.put(name, text));
        });
    return variables;
  }

  /** Reads CPU cores in thousandths. */
  static final class Cpu extends FieldReader<Long> {
    @Override
    protected Optional<Long> read(Value value) {
      return AmountFields.cpuMilli(value);
    }
  }

  /** Reads memory in MiB. */
  static final class Memory extends FieldReader<Long> {
    @Override
    protected Optional<Long> read(Value value) {
      return AmountFields.memoryMiB(value);
    }
  }
}
