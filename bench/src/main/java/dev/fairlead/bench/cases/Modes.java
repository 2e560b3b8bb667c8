package dev.fairlead.bench.cases;

import java.util.Map;

/** The modes that the engine answers; any other differs with that reason. */
final class Modes {
  private static final Map<String, Mode> KNOWN =
      Map.of(
          "fair-share",
          new FairShareMode(),
          "share-value",
          new ShareValueMode(),
          "flavor-choice",
          new FlavorChoiceMode(),
          "victim-selection",
          new VictimSelectionMode(),
          "topology-placement",
          new TopologyMode(),
          "admission-cycle",
          new AdmissionMode(),
          "single-phase",
          new DeservedMode(),
          "rounds",
          new DeservedMode());

  private Modes() {}

  static Verdict judge(Value scenario) {
    String name = scenario.get("evaluation").get("mode").text();
    Mode mode = KNOWN.get(name);
    return mode == null
        ? Verdict.differs("mode " + name + " is not answered yet")
        : mode.judge(scenario);
  }
}
