package dev.fairlead.verify.engine.cases;

import static dev.fairlead.kernel.text.Texts.output;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.engine.cases.form.KnownFields;
import dev.fairlead.verify.engine.cases.form.Missing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CasesTest {
  @TempDir Path folder;
  private String share = "4";
  private String portable = "universal";
  private String mode = "fair-share";
  private String expect = "expect";
  private String total = "{\"gpu\": 4}";

  @BeforeEach
  void aFile() throws IOException {
    write();
  }

  @Test
  void agreeingCasePasses() {
    assertThat(results())
        .containsExactly(
            "through plan: universal 0/0 policy 0/0",
            "arithmetic of the cycle: universal 1/1 policy 0/0",
            "not expressible: universal 0 policy 0");
  }

  /** Fails when the world of a case is not planned by the engine: one job of two has quota. */
  @Test
  void aCaseIsJudgedByThePlanOfTheEngine() throws IOException {
    admission("");
    assertThat(results().getFirst()).isEqualTo("through plan: universal 1/1 policy 0/0");
  }

  /** Fails when a case is judged although a fact is missing from its world. */
  @Test
  void unmatchedFactIsPrintedAndCountsAsADifference() throws IOException {
    admission("\"waiting_for_checks\": true,");
    assertThat(results())
        .containsExactly(
            "through plan: universal 0/0 policy 0/0",
            "arithmetic of the cycle: universal 0/0 policy 0/0",
            "not expressible: universal 1 policy 0");
    assertThat(CasesMain.judge(folder, Set.of()).lines(false))
        .contains("f/one: not expressible: checks outside that a job waits for");
    assertThat(CasesMain.judge(folder, Set.of()).broken()).isFalse();
  }

  /** Fails when the translator gives up on a fact that the page on differences does not list. */
  @Test
  void differencesPageListsInexpressibleCases() throws IOException {
    Path page = WorkTree.root().resolve("docs/contributing/simulation.md");
    assertThat(
            Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("- not expressible: "))
                .map(line -> line.substring("- not expressible: ".length(), line.indexOf(" - "))))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Missing.values()).map(Missing::text).toList());
  }

  @Test
  void failedUniversalCaseFailsTheRunUnlessDisputed() throws IOException {
    share = "3";
    write();
    assertThat(CasesMain.judge(folder, Set.of()).broken()).isTrue();
    assertThat(CasesMain.judge(folder, Set.of("f/one")).broken()).isFalse();
    assertThat(results().get(1))
        .satisfies(output("cases.arithmetic-cycle-universal-policy", "0/1", "0/0"));
  }

  @Test
  void aPolicyCaseMayDiffer() throws IOException {
    share = "3";
    portable = "policy";
    write();
    assertThat(CasesMain.judge(folder, Set.of()).broken()).isFalse();
    assertThat(results().get(1))
        .satisfies(output("cases.arithmetic-cycle-universal-policy-2", "0/0", "0/1"));
  }

  @Test
  void wrongFieldIsReportedWithItsPath() throws IOException {
    total = "{\"gpu\": \"many\"}";
    write();
    assertThat(unreadable())
        .satisfies(
            output(
                "cases.expected-number-found-many", "one.json:4:20", "/cases/0/total/gpu", "many"));
  }

  @Test
  void unknownPortabilityIsReported() throws IOException {
    portable = "sometimes";
    write();
    assertThat(unreadable())
        .satisfies(
            output(
                "cases.expected-one-universal-policy",
                "one.json:2:30",
                "/cases/0/portable",
                "sometimes"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[1, 2]", "7"})
  void fileWithoutCasesIsNamed(String text) throws IOException {
    Files.writeString(folder.resolve("other.json"), text);
    assertThat(unreadable())
        .satisfies(output("cases.expected-object-schema-cases", "other.json:1:1"));
  }

  /** Fails when the number is used unchanged: the first breaks the engine, the second the run. */
  @ParameterizedTest
  @ValueSource(strings = {"-1", "1e30"})
  void gpuCountAboveAnyNodeIsReported(String gpus) throws IOException {
    Files.writeString(
        folder.resolve("one.json"),
        """
        {"schema": "conformance-cases/1", "family": "f", "cases": [{
          "id": "f/one", "portable": "universal", "tags": [],
          "evaluation": {"mode": "rounds"}, "expect": {"tasks": {}},
          "cluster": {"nodes": [{"name": "n", "gpus": %s}]}}]}
        """
            .formatted(gpus));
    assertThat(unreadable())
        .startsWith("one.json:4:47: /cases/0/cluster/nodes/0/gpus: expected a whole");
  }

  @Test
  void unknownModeIsNotExpressible() throws IOException {
    mode = "teleport";
    write();
    assertThat(lines()).contains("f/one: not expressible: mode teleport");
    assertThat(results().getLast()).isEqualTo("not expressible: universal 1 policy 0");
  }

  /** Fails when a field unknown to the harness is ignored and the case is judged. */
  @Test
  void caseWithAnUnknownFieldIsNotExpressibleAndNamesTheField() throws IOException {
    admission("\"pod_affinity\": {\"required\": [{\"level\": \"rack\"}]},");
    assertThat(lines())
        .contains(
            "f/one: not expressible: field jobs.pod_affinity",
            "not expressible in 1: field jobs.pod_affinity");
    assertThat(results().getFirst()).isEqualTo("through plan: universal 0/0 policy 0/0");
  }

  /** Fails when a case or a file that cannot be read hides the others. */
  @Test
  void unreadableCaseHidesNoOther() throws IOException {
    String good = Files.readString(folder.resolve("one.json"));
    String bad = good.replace("{\"gpu\": 4}", "{\"gpu\": \"many\"}");
    String cases = bad.substring(bad.indexOf("[{") + 1, bad.lastIndexOf("]}"));
    Files.writeString(
        folder.resolve("one.json"), good.replace("\"cases\": [", "\"cases\": [" + cases + ","));
    Files.writeString(folder.resolve("cut.json"), "{");

    CaseReport report = CasesMain.judge(folder, Set.of());

    assertThat(report.hasUnreadable()).isTrue();
    assertThat(lines().stream().filter(line -> line.startsWith("cannot be read: "))).hasSize(2);
    assertThat(results().get(1))
        .satisfies(output("cases.arithmetic-cycle-universal-policy-3", "1/1", "0/0"));
  }

  /** Fails when a field counts as known everywhere, although it is read in only one place. */
  @Test
  void knownFieldInAnUnsupportedObjectIsNotExpressible() throws IOException {
    admission("\"cordoned\": true,");
    assertThat(lines()).contains("f/one: not expressible: field jobs.cordoned");
  }

  /** Fails when one case decides about the others: four kinds of cases in one file. */
  @Test
  void mixedFileReportsEachCaseSeparately() throws IOException {
    admission("");
    String whole = Files.readString(folder.resolve("one.json"));
    String good = whole.substring(whole.indexOf("[{") + 1, whole.lastIndexOf("]}"));
    String checked =
        good.replace("f/one", "f/two")
            .replace("\"age_s\": 1,", "\"age_s\": 1, \"waiting_for_checks\": true,");
    String strange =
        good.replace("f/one", "f/three")
            .replace("\"age_s\": 1,", "\"age_s\": 1, \"moon_phase\": 3,");
    String bad = good.replace("f/one", "f/four").replace("\"age_s\": 1,", "\"age_s\": \"old\",");
    String nameless = good.replace("\"id\": \"f/one\",", "");
    Files.writeString(
        folder.resolve("one.json"),
        whole.replace(
            "\"cases\": [",
            "\"cases\": [7, null, " + String.join(",", checked, strange, bad, nameless) + ","));

    CaseReport report = CasesMain.judge(folder, Set.of());

    assertThat(report.hasUnreadable()).isTrue();
    assertThat(lines().stream().filter(line -> line.startsWith("cannot be read: "))).hasSize(4);
    assertThat(lines())
        .contains(
            "f/two: not expressible: checks outside that a job waits for",
            "f/three: not expressible: field jobs.moon_phase");
    assertThat(results())
        .containsExactly(
            "through plan: universal 1/1 policy 0/0",
            "arithmetic of the cycle: universal 0/0 policy 0/0",
            "not expressible: universal 2 policy 0");
  }

  /** Fails when the harness reads a field that is missing from its list of known fields. */
  @Test
  void everyParsedFieldIsKnown() throws IOException {
    List<String> expectations =
        List.of(
            "admitted",
            "dominant_resource",
            "fair_share",
            "infinite",
            "placeable",
            "preempted",
            "reason",
            "share_permille",
            "shares");
    List<String> insideMaps = List.of("quota", "request", "requests_per_task", "PartialAdmission");
    List<String> ofTheFile = List.of("cases");
    Pattern read = Pattern.compile("\\.get\\(\\s*\"([a-zA-Z_]+)\"\\)");
    Path code =
        WorkTree.root().resolve("verify/src/main/java").resolve("dev/fairlead/verify/engine/cases");
    try (Stream<Path> files = Files.walk(code)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        assertThat(read.matcher(Files.readString(file)).results().map(m -> m.group(1)))
            .as(file.toString())
            .allMatch(field ->
                KnownFields.INSIDE.values().stream().anyMatch(known -> known.contains(field))
                    || expectations.contains(field)
                    || insideMaps.contains(field)
                    || ofTheFile.contains(field));
      }
    }
  }

  @Test
  void caseWithoutAnExpectationDoesNotPass() throws IOException {
    expect = "expected";
    write();
    assertThat(unreadable())
        .satisfies(
            output("cases.expected-object-found-nothing", "one.json:1:60", "/cases/0/expect"));
  }

  @Test
  void invalidJsonIsReportedWithLineAndColumn() throws IOException {
    Files.writeString(folder.resolve("cut.json"), "{\n \"schema\": many}");
    assertThat(unreadable()).startsWith("cut.json:2:").contains("expected JSON");
  }

  @Test
  void missingFolderIsReported() {
    assertThatThrownBy(() -> CasesMain.judge(folder.resolve("none"), Set.of()))
        .hasMessageContainingAll("none", "folder");
  }

  private List<String> lines() {
    return CasesMain.judge(folder, Set.of()).lines(false);
  }

  /** The first file or case that cannot be read. */
  private String unreadable() {
    String start = "cannot be read: ";
    return lines().stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .findFirst()
        .orElse("");
  }

  private List<String> results() {
    List<String> lines = lines();
    return lines.subList(lines.size() - 3, lines.size());
  }

  /** Two queues compete for the only core that their group lends, the older job first. */
  private void admission(String more) throws IOException {
    Files.writeString(
        folder.resolve("one.json"),
        """
        {"schema": "conformance-cases/1", "family": "f", "cases": [{
          "id": "f/one", "portable": "universal", "tags": [],
          "evaluation": {"mode": "admission-cycle"},
          "cluster": {"flavors": [{"name": "default"}]},
          "queues": [
            {"name": "all", "kind": "group", "quotas":
              [{"resource": "cpu", "flavor": "default", "nominal": 1}]},
            {"name": "a", "kind": "leaf", "parent": "all"},
            {"name": "b", "kind": "leaf", "parent": "all"}],
          "jobs": [
            {"name": "late", "queue": "a", "age_s": 1, %s
              "tasks": [{"name": "main", "requests": {"cpu": 1}}]},
            {"name": "early", "queue": "b", "age_s": 2,
              "tasks": [{"name": "main", "requests": {"cpu": 1}}]}],
          "expect": {"admitted": [{"job": "early", "queue": "b", "tasks":
            [{"name": "main", "count": 1, "flavors": {"cpu": "default"}}]}]}}]}
        """
            .formatted(more));
  }

  private void write() throws IOException {
    Files.writeString(
        folder.resolve("one.json"),
        """
        {"schema": "conformance-cases/1", "family": "f", "cases": [{
          "id": "f/one", "portable": "%s", "tags": ["fair-share"],
          "evaluation": {"mode": "%s"},
          "total": %s,
          "queues": [{"name": "q", "parent": null, "priority": 1, "resources":
            {"gpu": {"quota": 1, "limit": -1, "weight": 1, "request": 9}}}],
          "%s": {"fair_share": {"q": {"gpu": %s}}}}]}
        """
            .formatted(portable, mode, total, expect, share));
  }
}
