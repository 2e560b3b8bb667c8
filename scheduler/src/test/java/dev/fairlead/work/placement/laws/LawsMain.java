package dev.fairlead.work.placement.laws;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * {@code make laws}: {@code --seeds n} worlds from {@code --from n} for each law, or for the law of
 * {@code --law}. An empty value means an omitted argument. Exits with 1 when a law is broken, 2 for
 * invalid arguments.
 */
public final class LawsMain {
  private static final PrintStream OUT = System.out;
  private static final int MOST_SHOWN = 3;
  private static final List<String> NAMES = List.of("--law", "--from", "--seeds");

  private LawsMain() {}

  public static void main(String[] arguments) {
    Map<String, String> given = new TreeMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      if (!NAMES.contains(arguments[i]) || i + 1 == arguments.length) {
        refuse("expected some of " + NAMES + " with a value each, found " + arguments[i]);
      }
      given.put(arguments[i], arguments[i + 1].strip());
    }
    String name = given.getOrDefault("--law", "");
    List<Law> laws =
        Laws.ALL.stream().filter(l -> name.isEmpty() || l.name().equals(name)).toList();
    if (laws.isEmpty()) {
      refuse(
          "LAW: expected one of " + Laws.ALL.stream().map(Law::name).toList() + ", found " + name);
    }
    long seeds = number(given, "--seeds", "SEEDS", 1, 500);
    long from = number(given, "--from", "SEED or FROM_SEED", 0, 0);
    int broken = 0;
    for (Law law : laws) {
      broken += judge(law, from, seeds);
    }
    OUT.println(
        broken == 0
            ? "every law held in " + seeds + " worlds, seeds " + from + " to " + (from + seeds - 1)
            : broken + " of " + laws.size() + " laws are broken");
    System.exit(broken == 0 ? 0 : 1);
  }

  /** Returns 1 if the law is broken. */
  private static int judge(Law law, long from, long seeds) {
    long start = System.nanoTime();
    List<Long> failed = new ArrayList<>();
    for (long seed = from; seed < from + seeds; seed++) {
      Optional<Laws.Broken> broken = Laws.judge(law, seed, failed.size() < MOST_SHOWN);
      broken.filter(b -> failed.size() < MOST_SHOWN).ifPresent(LawsMain::show);
      broken.ifPresent(b -> failed.add(b.seed()));
    }
    OUT.printf(
        Locale.ROOT,
        "%-31s %6d worlds  %6.1f s  %s%n",
        law.name(),
        seeds,
        (System.nanoTime() - start) / 1e9,
        failed.isEmpty() ? "held" : "BROKEN by " + failed.size() + " seeds");
    return failed.isEmpty() ? 0 : 1;
  }

  private static void show(Laws.Broken broken) {
    OUT.println(broken.text());
    OUT.println("replay with: make laws LAW=" + broken.law().name() + " SEED=" + broken.seed());
  }

  private static long number(
      Map<String, String> given, String option, String name, long least, long otherwise) {
    String text = given.getOrDefault(option, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    if (!text.matches("[0-9]{1,9}") || Long.parseLong(text) < least) {
      refuse(name + ": expected a whole number, " + least + " to 999999999, found " + text);
    }
    return Long.parseLong(text);
  }

  private static void refuse(String why) {
    System.err.println("laws: " + why);
    System.exit(2);
  }
}
