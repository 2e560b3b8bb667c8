package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes and GPUs of placed members. */
class PlacingTest {
  private final Scene scene = new Scene();

  @Test
  void aGangStartsWholeOnOneCluster() {
    scene.cluster("eu-1").nodes(16, 8, "H100");
    JobBuilder llama = scene.job("llama").gang(4).gpus(8, "H100");

    List<Member> members = scene.plan().places(llama).getFirst().members();

    assertThat(members)
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-1", "worker-2", "worker-3");
    assertThat(members).extracting(Member::nodeName).doesNotHaveDuplicates();
    assertThat(members.getFirst().gpus())
        .extracting(GpuShare::index)
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(members.getFirst().request().gpuMilli()).isEqualTo(8000);
    assertThat(members.getFirst().request().pods()).isEqualTo(1);
  }

  @Test
  void gangThatDoesNotFitEntirelyAllocatesNothing() {
    scene.cluster("eu-1").nodes(3, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(4).gpus(8);
    JobBuilder small = scene.job("small").gpus(8).age(30);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(gang)).isFalse();
    assertThat(plan.starts(small)).isTrue();
  }

  @Test
  void singleMemberIsPlacedOnTheFullestFittingNode() {
    scene
        .cluster("eu-1")
        .used(0)
        .nodes(1, 8, "H100")
        .used(5)
        .nodes(1, 8, "H100")
        .used(7)
        .nodes(1, 8, "H100");
    JobBuilder two = scene.job("two").gpus(2);

    assertThat(scene.plan().nodes(two)).containsExactly("eu-1-n002");
  }

  /** Fails when the index of free nodes is not sorted again after a placement. */
  @Test
  void theFullestNodeIsJudgedAfterThePlacementsOfTheSameCycle() {
    scene.cluster("eu-1").nodes(1, 8, "H100").used(2).nodes(1, 8, "H100");
    JobBuilder seven = scene.job("seven").gpus(7).age(100);
    JobBuilder one = scene.job("one").gpus(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(seven)).containsExactly("eu-1-n001");
    assertThat(plan.nodes(one)).containsExactly("eu-1-n001");
  }

  @Test
  void equallyFullNodeWithTheLeastIdleCpuIsUsed() {
    scene.cluster("eu-1").foreignCores(0).nodes(1, 8, "H100").foreignCores(64).nodes(1, 8, "H100");
    JobBuilder one = scene.job("one").gpus(1);

    assertThat(scene.plan().nodes(one)).containsExactly("eu-1-n002");
  }

  @Test
  void memberWithoutAGpuAvoidsGpuNodes() {
    scene.cluster("eu-1").nodes(2, 8, "H100").cpuNodes(1);
    JobBuilder one = scene.job("one").cpu(4);
    JobBuilder gang = scene.job("gang").cpu(4).gang(3);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(one)).containsExactly("eu-1-n003");
    assertThat(plan.nodes(gang)).containsOnly("eu-1-n003");
  }

  /** Fails when members are placed on nodes that their pods do not fit. */
  @Test
  void sidecarsOfAMemberUseCapacityOfItsNode() {
    scene.cluster("eu-1").cores(8).cpuNodes(3);
    JobBuilder fits = scene.job("fits").cpu(6).sidecar(2, 256);
    JobBuilder pair = scene.job("pair").cpu(3).gang(2).sidecar(2, 256);
    JobBuilder never = scene.job("never").cpu(7).sidecar(2, 256);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(fits)).hasSize(1);
    assertThat(plan.nodes(pair)).doesNotHaveDuplicates().hasSize(2);
    assertThat(plan.starts(never)).isFalse();
  }

  @Test
  void gangIsPackedOnTheFewestNodesWithTheTightestFit() {
    scene
        .cluster("eu-1")
        .nodes(2, 8, "H100")
        .used(4)
        .nodes(1, 8, "H100")
        .used(6)
        .nodes(1, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(5).gpus(2);

    assertThat(scene.plan().nodes(gang))
        .containsExactly("eu-1-n001", "eu-1-n001", "eu-1-n001", "eu-1-n001", "eu-1-n004");
  }

  @Test
  void requiredDomainIsTheTightestThatFitsAll() {
    scene
        .cluster("eu-1")
        .block("b1")
        .nodes(8, 8, "H100")
        .block("b2")
        .nodes(4, 8, "H100")
        .block("b3")
        .nodes(3, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(4).gpus(8).inOne("block");

    assertThat(scene.plan().nodes(gang))
        .containsExactlyInAnyOrder("eu-1-n009", "eu-1-n010", "eu-1-n011", "eu-1-n012");
  }

  @Test
  void preferredDomainIsLeftByAsFewMembersAsPossible() {
    scene
        .cluster("eu-1")
        .block("b1")
        .nodes(2, 8, "H100")
        .block("b2")
        .nodes(4, 8, "H100")
        .block("b3")
        .nodes(3, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(6).gpus(8).preferring("block");

    assertThat(scene.plan().nodes(gang))
        .containsExactly(
            "eu-1-n003", "eu-1-n004", "eu-1-n005", "eu-1-n006", "eu-1-n001", "eu-1-n002");
  }

  @Test
  void racksOfTheSameNameInTwoBlocksAreDistinct() {
    scene
        .cluster("eu-1")
        .block("b1")
        .rack("r1")
        .nodes(2, 8, "H100")
        .block("b2")
        .rack("r1")
        .nodes(2, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(4).gpus(8).inOne("rack");

    assertThat(scene.plan().starts(gang)).isFalse();
  }

  @Test
  void launcherAndWorkersStartTogetherInOneBlock() {
    scene
        .cluster("eu-1")
        .block("b1")
        .nodes(3, 8, "H100")
        .block("b2")
        .nodes(2, 8, "H100")
        .cpuNodes(1);
    JobBuilder train =
        scene.job("train").cpu(2).thenRole("worker").gang(2).gpus(8).cpu(16).inOne("block");

    assertThat(scene.plan().nodes(train)).containsExactly("eu-1-n006", "eu-1-n004", "eu-1-n005");
  }

  @Test
  void roleMayRequireASeparateDomain() {
    scene.cluster("eu-1").block("b1").rack("r1").nodes(2, 8, "H100").rack("r2").nodes(2, 8, "H100");
    JobBuilder job =
        scene
            .job("job")
            .gang(2)
            .gpus(8)
            .roleTopology("rack")
            .thenRole("eval")
            .gang(2)
            .gpus(8)
            .roleTopology("rack");

    List<String> nodes = scene.plan().nodes(job);

    assertThat(nodes.subList(0, 2)).containsExactly("eu-1-n001", "eu-1-n002");
    assertThat(nodes.subList(2, 4)).containsExactly("eu-1-n003", "eu-1-n004");
  }

  /** Fails when the tried combinations omit a model that all roles accept. */
  @Test
  void rolesAcceptingAnyModelFindAFreeOne() {
    NodeBuilder nodes = scene.cluster("eu-1").used(8);
    for (String taken : List.of("A10", "A100", "H100", "H200")) {
      nodes.nodes(1, 8, taken);
    }
    nodes.used(0).nodes(1, 8, "L40S");
    JobBuilder job = scene.job("three").gpus(1).thenRole("two").gpus(1).thenRole("one").gpus(1);

    assertThat(scene.plan().starts(job)).isTrue();
  }

  @Test
  void elasticGangUsesAvailableCapacityDownToItsMinimum() {
    scene.cluster("eu-1").nodes(5, 8, "H100");
    JobBuilder elastic = scene.job("elastic").elastic(2, 8).gpus(8);
    JobBuilder late = scene.job("late").elastic(6, 8).gpus(8).age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(elastic)).hasSize(5);
    assertThat(plan.starts(late)).isFalse();
  }

  /** Fails when Starter ignores the next jobs, or requests its optional members. */
  @Test
  void elasticGangLeavesCapacityToTheNextJob() {
    scene.cluster("eu-1").nodes(5, 8, "H100");
    JobBuilder elastic = scene.job("elastic").elastic(2, 8).gpus(8).age(60);
    JobBuilder late = scene.job("late").elastic(2, 8).gpus(8).age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(elastic)).hasSize(3);
    assertThat(plan.nodes(late)).hasSize(2);
  }

  /** Fails when Lines names the next job regardless of its priority. */
  @Test
  void elasticGangGrowsBeforeAJobOfLowerPriorityStarts() {
    scene.cluster("eu-1").nodes(5, 8, "H100");
    JobBuilder high = scene.job("high").elastic(1, 5).gpus(8).priority(PriorityClass.HIGH).age(60);
    JobBuilder low = scene.job("low").elastic(2, 5).gpus(8).priority(PriorityClass.LOW).age(90);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(high)).hasSize(5);
    assertThat(plan.starts(low)).isFalse();
  }

  /**
   * Fails when Starter leaves capacity for a job that would not fit even next to the minimum
   * members.
   */
  @Test
  void elasticGangUsesCapacityNoOtherJobNeeds() {
    scene.cluster("eu-1").nodes(5, 8, "H100");
    JobBuilder elastic = scene.job("elastic").elastic(2, 8).gpus(8).age(60);
    scene.job("large").gang(4).gpus(8).age(30);
    scene.job("blocked").gpus(8).on("elsewhere").age(1);

    assertThat(scene.plan().nodes(elastic)).hasSize(5);
  }

  @Test
  void eachSegmentStaysInOneRack() {
    scene
        .cluster("eu-1")
        .rack("r1")
        .nodes(3, 8, "H100")
        .rack("r2")
        .nodes(3, 8, "H100")
        .rack("r3")
        .nodes(2, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(6).gpus(8).segment(2, "rack");
    JobBuilder more = scene.job("more").gang(2).gpus(8).segment(2, "rack").age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(gang))
        .doesNotHaveDuplicates()
        .hasSize(6)
        .contains("eu-1-n007", "eu-1-n008");
    assertThat(plan.starts(more)).as("one node is left in each of two racks").isFalse();
  }

  @Test
  void spreadCapsTheMembersOfADomain() {
    scene.cluster("eu-1").nodes(3, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(3).gpus(1).spread(1, "host");
    JobBuilder four = scene.job("four").gang(4).gpus(1).spread(1, "host").age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(gang)).doesNotHaveDuplicates();
    assertThat(plan.starts(four)).isFalse();
  }

  @Test
  void reservedCapacityPrecedesOnDemandAndThenPriceDecides() {
    scene.cluster("a-spot", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(1, 8, "H100");
    scene.cluster("b-dear").nodes(1, 8, "H100");
    scene.cluster("c-cheap").nodes(1, 8, "H100");
    scene.price("b-dear", "H100", 3_000_000);
    scene.price("c-cheap", "H100", 2_000_000);
    JobBuilder first = scene.job("first").gpus(8).age(30);
    JobBuilder second = scene.job("second").gpus(8).age(20);
    JobBuilder third = scene.job("third").gpus(8).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.cluster(first)).isEqualTo("c-cheap");
    assertThat(plan.cluster(second)).isEqualTo("b-dear");
    assertThat(plan.cluster(third)).isEqualTo("a-spot");
  }

  @Test
  void clustersAndModelsAreTriedInThePreferredOrder() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.cluster("us-2").nodes(1, 8, "H200").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(8, "H200", "H100").on("us-2", "eu-1");
    JobBuilder next = scene.job("next").gpus(8, "H200", "H100").on("us-2", "eu-1").age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(job).getFirst().members().getFirst().flavor().text())
        .isEqualTo("H200/RESERVED");
    assertThat(plan.places(next).getFirst().members().getFirst().flavor().text())
        .isEqualTo("H100/RESERVED");
    assertThat(plan.cluster(next)).isEqualTo("us-2");
  }

  @Test
  void fourQuartersFillOneGpuBeforeAnotherIsUsed() {
    scene.cluster("eu-1", ClusterState.ACTIVE, CapacityType.RESERVED, true).nodes(2, 2, "L4");
    JobBuilder quarters = scene.job("quarters").gpu(GpuRequest.fraction(250)).array(5);

    List<GpuShare> shares =
        scene.plan().places(quarters).stream()
            .map(p -> p.members().getFirst().gpus().getFirst())
            .toList();

    assertThat(shares.subList(0, 4)).extracting(GpuShare::serial).containsOnly("eu-1-n001/0");
    assertThat(shares.getLast().serial()).isEqualTo("eu-1-n001/1");
  }

  @Test
  void gpuOf24GibibytesHoldsTwoSharesOfTwelve() {
    scene.cluster("eu-1", ClusterState.ACTIVE, CapacityType.RESERVED, true).nodes(1, 1, "A30");
    GpuRequest twelve = new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, 12 * 1024, null, List.of(), 0);
    JobBuilder three = scene.job("three").gpu(twelve).array(3);

    assertThat(scene.plan().places(three)).hasSize(2);
  }

  @Test
  void arrayStartsTheElementsThatFitAndTheRestWait() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder array = scene.job("array").gpus(2).array(6);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(array)).extracting(Decision.Place::element).containsExactly(0, 1, 2, 3);
    assertThat(plan.first(array).message())
        .satisfies(reason("placing.needs-one-node-largest", 2, "H100", 0, "eu-1"));
  }
}
