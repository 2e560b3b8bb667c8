package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import java.util.Map;

/** The modes that the engine supports. Any other differs with that reason. */
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
          new KaiMode(),
          "rounds",
          new KaiMode());

  private Modes() {}

  /** Returns whether a mode requires figures of the cycle instead of a plan. */
  static boolean arithmetic(String mode) {
    return mode.equals("fair-share") || mode.equals("share-value");
  }

  static Verdict judge(Value scenario) {
    Value name = scenario.get("evaluation").get("mode");
    Mode mode = KNOWN.get(name.text());
    if (mode == null) {
      throw new NotExpressible("mode " + name.text());
    }
    if (!scenario.get("expect").present()) {
      throw scenario.get("expect").bad("an object");
    }
    return mode.judge(scenario);
  }
}
