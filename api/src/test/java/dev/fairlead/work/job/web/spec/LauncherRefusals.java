package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints as JSON, for each launcher, the refusal of a wrong job ({@code wrong}: a variable that the
 * launcher reserves) and of an elastic job, if the launcher has no elastic gangs ({@code elastic}).
 * {@code tools/suites/launchers} prints them in its table.
 */
final class LauncherRefusals {
  private static final String JOB = "image: x\nrun: x\nlauncher: %s\n";
  private static final Pattern FORM = Pattern.compile("\\.\\*");

  private LauncherRefusals() {}

  public static void main(String[] arguments) {
    SortedMap<String, SortedMap<String, String>> all = new TreeMap<>();
    for (Launcher launcher : Launchers.all()) {
      String job = JOB.formatted(launcher.name());
      SortedMap<String, String> refusals = new TreeMap<>();
      String reserved = // by the launcher, or for every job
          launcher.reserved().stream()
              .findFirst()
              .map(form -> FORM.matcher(form.pattern()).replaceAll("X"))
              .orElse("FAIRLEAD_RANK");
      refusal(job + "env: {%s: x}\n".formatted(reserved))
          .ifPresent(text -> refusals.put("wrong", text));
      if (!launcher.resizes()) {
        refusal(job + "workers: 4\nminWorkers: 2\n")
            .ifPresent(text -> refusals.put("elastic", text));
      }
      all.put(launcher.name(), refusals);
    }
    System.out.println(JsonMapper.shared().writeValueAsString(all));
  }

  private static Optional<String> refusal(String job) {
    List<FieldProblem> problems = Specs.problems(job);
    return problems.stream().map(FieldProblem::detail).findFirst();
  }
}
