package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.spec.CommandSpec;
import java.util.List;
import java.util.Optional;

/**
 * Reads the command of a member: {@code run} as one text (for a shell) or as words (no shell), or
 * {@code command} and {@code args}, or neither for the image's command. {@code setup} is one text
 * or a list of texts, each for a shell.
 */
final class CommandReader {
  private static final int LONGEST = 32 * 1024;
  private static final int MOST_WORDS = 1000;
  private static final int MOST_SETUP = 64;

  /** Quotes take four characters in the script, and Linux limits a word to 128 KiB. */
  private static final int LONGEST_SETUP = 16 * 1024;

  private CommandReader() {}

  /** Empty if the fields contain no command. */
  static Optional<CommandSpec> read(Fields fields) {
    Optional<Value> run = fields.get("run");
    Optional<Value> command = fields.get("command");
    Optional<Value> args = fields.get("args");
    if (run.isPresent() && (command.isPresent() || args.isPresent())) {
      fields.refuse(
          "run", ProblemCode.CONFLICTING_FIELDS, "Give run, or command and args, not both.", null);
      return Optional.empty();
    }
    if (run.isPresent()) {
      return ran(run.get());
    }
    if (command.isEmpty() && args.isEmpty()) {
      return Optional.empty();
    }
    List<String> commandWords = command.map(CommandReader::words).orElse(List.of());
    List<String> argWords = args.map(CommandReader::words).orElse(List.of());
    return Optional.of(new CommandSpec(commandWords, argWords, false));
  }

  /** Empty if the fields contain no setup. */
  static Optional<List<String>> setup(Fields fields) {
    return fields
        .get("setup")
        .map(setup -> {
          List<String> commands = setup.texts(MOST_SETUP, LONGEST_SETUP);
          commands.forEach(text -> OutputReader.shell(setup, text));
          if (commands.stream().mapToInt(String::length).sum() > LONGEST_SETUP) {
            setup.refuse(
                ProblemCode.LIMIT_EXCEEDED,
                "setup has more than %d characters. Write a script into the image or the workdir"
                    .formatted(LONGEST_SETUP),
                null);
          }
          return commands;
        });
  }

  /** Returns the command after the setup. Its own words must be known. */
  static CommandSpec prepared(Fields fields, CommandSpec command, List<String> setup) {
    if (!setup.isEmpty() && command.command().isEmpty()) {
      fields.refuse(
          "setup",
          ProblemCode.CONFLICTING_FIELDS,
          "setup needs run or command: the entry point of the image is unknown, so nothing can"
              + " start it after setup.",
          null);
    }
    return command.preparedBy(setup);
  }

  private static Optional<CommandSpec> ran(Value run) {
    if (run.isText()) {
      return run.text(LONGEST)
          .flatMap(text -> OutputReader.shell(run, text))
          .map(CommandSpec::shell);
    }
    if (!run.isList()) {
      return run.bad("must be a text or a list of words", null);
    }
    List<String> words = words(run);
    return words.isEmpty()
        ? run.bad("must have at least one word", null)
        : Optional.of(CommandSpec.exec(words));
  }

  private static List<String> words(Value value) {
    return value.items(MOST_WORDS).stream()
        .map(v -> v.anyText(LONGEST).flatMap(text -> OutputReader.whole(v, text)))
        .flatMap(Optional::stream)
        .toList();
  }
}
