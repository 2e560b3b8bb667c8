package dev.fairlead.verify.engine.cases;

import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.SharedFolder;
import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.KnownFields;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code make cases}: judges the engine by a folder of conformance cases. Exits with 0. With 1 if
 * an undisputed universal case fails. Exits with 2 for a folder without cases, or if a file or a
 * case is unreadable. All other cases are judged and printed first.
 */
public final class CasesMain {
  private static final Pattern DISPUTED = Pattern.compile("^- disputed `([^`]+)`");

  private CasesMain() {}

  public static void main(String[] args) {
    Program.of("cases", "judges the engine by conformance cases")
        .option("dir", "folder of cases, by default ../shared/cases or FAIRLEAD_CASES")
        .option("list", "1: also lists cases that differ by policy")
        .run(
            args,
            (arguments, report) -> {
              try {
                CaseReport cases =
                    judge(arguments.path("dir").orElseGet(SharedFolder::cases), disputed());
                report.lines(cases.lines(arguments.has("list")));
                report.require(!cases.broken());
                if (cases.hasUnreadable()) {
                  throw new BadInput("the cases above that cannot be read were not judged");
                }
              } catch (BadCase bad) {
                throw new BadInput(String.valueOf(bad.getMessage()), bad);
              }
            });
  }

  static CaseReport judge(Path folder, Set<String> disputed) {
    CaseReport report = new CaseReport(disputed);
    for (Path file : CaseFiles.in(folder)) {
      read(file, report).forEach(scenario -> judge(file, scenario, report));
    }
    return report;
  }

  /** Returns no case of an unreadable file. The other files are still judged. */
  private static List<Value> read(Path file, CaseReport report) {
    try {
      return CaseFiles.read(file);
    } catch (BadCase bad) {
      report.unreadable(CaseFiles.located(file, bad));
      return List.of();
    }
  }

  private static void judge(Path file, Value scenario, CaseReport report) {
    try {
      report.add(scenario, verdict(scenario));
    } catch (BadCase bad) {
      report.unreadable(CaseFiles.located(file, bad));
    }
  }

  /** Judges a case. A case that throws fails, and the others are still judged. */
  private static Verdict verdict(Value scenario) {
    try {
      Verdict judged = Modes.judge(scenario);
      return KnownFields.unknown(scenario)
          .map(field -> Verdict.notExpressible("field " + field))
          .orElse(judged);
    } catch (BadCase bad) {
      throw bad.path().isEmpty()
          ? new BadCase(scenario.path(), String.valueOf(bad.getMessage()))
          : bad;
    } catch (NotExpressible fact) {
      return Verdict.notExpressible(fact.fact());
    } catch (RuntimeException e) {
      return KnownFields.unknown(scenario)
          .map(field -> Verdict.notExpressible("field " + field))
          .orElseGet(() -> Verdict.differs("the engine broke: " + e));
    }
  }

  /** Returns the ids of the cases that the page on differences disputes, each with a proof. */
  static Set<String> disputed() {
    Path page = WorkTree.root().resolve("docs/contributing/simulation.md");
    Set<String> ids = new TreeSet<>();
    try {
      for (String line : Files.isRegularFile(page) ? Files.readAllLines(page) : List.<String>of()) {
        Matcher match = DISPUTED.matcher(line);
        if (match.find()) {
          ids.add(match.group(1));
        }
      }
    } catch (IOException e) {
      throw new BadCase(page + " cannot be read: " + e.getMessage());
    }
    return ids;
  }
}
