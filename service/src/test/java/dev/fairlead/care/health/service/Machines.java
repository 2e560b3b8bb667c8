package dev.fairlead.care.health.service;

import dev.fairlead.care.health.repair.Janitors;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.repair.RepairerCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A repairer with the responses of a test, silent by default. */
public final class Machines implements RepairerCalls, Janitors {
  public final List<RepairCall> calls = new ArrayList<>();
  public Function<RepairCall, RepairAnswer> says = call -> new RepairAnswer.Unanswered("it hangs");

  @Override
  public Optional<String> refuses(Repairer repairer) {
    return String.valueOf(repairer.url()).startsWith("https://inside")
        ? Optional.of("inside.example is private or reserved")
        : Optional.empty();
  }

  @Override
  public RepairAnswer ask(RepairCall call) {
    calls.add(call);
    return says.apply(call);
  }

  @Override
  public void over(RepairTask task) {
    // it has nothing to remove
  }

  public void says(RepairAnswer.Word word) {
    says = call -> answer(call, word);
  }

  static RepairAnswer answer(RepairCall call, RepairAnswer.Word word) {
    return new RepairAnswer.Answered(word, call.task().nonce(), false, "INC-7", "");
  }
}
