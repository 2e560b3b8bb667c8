package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.ProvisioningConditions;
import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyCall.Action;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Autoscaler requests in every {@link ClusterGateway}. */
public abstract class ProvisioningContract {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  protected abstract ClusterGateway gateway();

  protected abstract IdSource ids();

  /** Names of the existing requests. */
  protected abstract List<String> there(String name);

  /** The autoscaler sets a condition. */
  protected abstract void sets(String name, ProvisioningConditions.Condition condition);

  /** Deletes a request from outside. */
  protected abstract void deletes(String name);

  /** Creates a foreign request of that name. */
  protected abstract void takes(String name);

  protected final SupplyRequest request() {
    PoolId pool = new PoolId(ids().next());
    return SupplyRequest.of(
        new SupplyRequestId(ids().next()), Supplies.of(pool, new ClusterId(ids().next())), 2, NOW);
  }

  protected final SupplyAnswer ask(SupplyRequest request, Action action) {
    Supply some = Supplies.of(request.asked().pool(), request.asked().cluster());
    TreeMap<String, String> labels = new TreeMap<>();
    labels.put("node-group", "h100");
    Supply supply =
        new Supply(
            some.pool(),
            some.cluster(),
            some.kind(),
            some.maxNodes(),
            some.releaseAfter(),
            some.readyWithin(),
            null,
            1,
            new Supply.ProvisioningClass(
                "best-effort-atomic-scale-up.autoscaling.x-k8s.io", new TreeMap<>()));
    return gateway().supply(new SupplyCall(supply, "burst", "us-2", labels, request, action));
  }

  private static SupplyAnswer.Answered answered(SupplyAnswer answer) {
    assertThat(answer).isInstanceOf(SupplyAnswer.Answered.class);
    return (SupplyAnswer.Answered) answer;
  }

  protected final Word word(SupplyRequest request, Action action) {
    return answered(ask(request, action)).word();
  }

  private static ProvisioningConditions.Condition condition(
      String type, boolean is, String reason) {
    return new ProvisioningConditions.Condition(type, is ? "True" : "False", reason, "as it was");
  }

  private SupplyRequest granted() {
    SupplyRequest request = request();
    String name = request.id().objectName();
    SupplyAnswer _ = ask(request, Action.REQUEST);
    sets(name, condition("Provisioned", true, "CapacityIsProvisioned"));
    return request.answered(Action.REQUEST, ask(request, Action.REQUEST), NOW);
  }

  /** Fails when a repeated call after a crash creates two requests. */
  @Test
  void repeatedProvisioningCreatesOneRequest() {
    SupplyRequest request = request();

    assertThat(word(request, Action.REQUEST)).isEqualTo(Word.PENDING);
    assertThat(word(request, Action.REQUEST)).isEqualTo(Word.PENDING);

    assertThat(there(request.id().objectName())).hasSize(1);
  }

  @Test
  void conditionsAreReadBack() {
    SupplyRequest request = request();
    String name = request.id().objectName();
    SupplyAnswer _ = ask(request, Action.REQUEST);

    sets(name, condition("Accepted", true, "Accepted"));
    assertThat(answered(ask(request, Action.REQUEST)).message()).contains("Accepted", "as it was");
    sets(name, condition("Provisioned", true, "CapacityIsProvisioned"));
    assertThat(word(request, Action.REQUEST)).isEqualTo(Word.GRANTED);
    sets(name, condition("Failed", true, "Expired"));
    assertThat(word(request, Action.REQUEST)).isEqualTo(Word.REFUSED);
  }

  /** Fails when nodes are bought again for a deleted request. */
  @Test
  void requestDeletedAfterProvisioningIsRejectedAndNotRecreated() {
    SupplyRequest request = granted();
    deletes(request.id().objectName());

    SupplyAnswer.Answered answer = answered(ask(request, Action.REQUEST));

    assertThat(answer.word()).isEqualTo(Word.REFUSED);
    assertThat(answer.message()).contains("was deleted on the cluster");
    assertThat(there(request.id().objectName())).isEmpty();
  }

  /** Fails when a foreign request counts as ours. */
  @Test
  void foreignRequestIsNotTouched() {
    SupplyRequest request = request();
    takes(request.id().objectName());

    assertThat(ask(request, Action.REQUEST))
        .isInstanceOfSatisfying(
            SupplyAnswer.Unanswered.class,
            no -> assertThat(no.why()).contains("was not created by Fairlead"));
    assertThat(word(request, Action.RELEASE)).isEqualTo(Word.RELEASED);
  }

  @Test
  void releaseDeletesTheRequestAndIsIdempotent() {
    SupplyRequest request = granted();

    assertThat(word(request, Action.RELEASE)).isEqualTo(Word.RELEASED);

    assertThat(there(request.id().objectName())).isEmpty();
    assertThat(word(request, Action.RELEASE)).isEqualTo(Word.RELEASED);
  }
}
