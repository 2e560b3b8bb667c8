package dev.fairlead.work.workload.kubernetes.dra;

import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.ATTEMPT;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.DRIVER;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.FORM;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.KEY;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.gpu;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.read;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.running;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.slice;
import static dev.fairlead.work.workload.kubernetes.dra.SliceInventoryTest.uuid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.work.attempt.member.HeldDevice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OfferedGpusTest {
  private final SliceInventory published = new SliceInventory(FORM);

  private NodeReport shown() {
    return SliceInventoryTest.shown(published, "gpu-7");
  }

  private static String part(int gpu, int number) {
    return "{name: gpu-%d-mig-%d, attributes: {type: {string: mig}, parentUUID: {string: %s}, profile: {string: 1g.10gb}, productName: {string: NVIDIA H100 80GB HBM3}}}"
        .formatted(gpu, number, uuid(gpu));
  }

  private static String parts(int gpu, int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> part(gpu, number))
        .collect(Collectors.joining(", "));
  }

  /** Fails when slices are not counted as parts of the GPU that a quarantine excludes. */
  @Test
  void partitionedNodeOffersItsSlicesOnItsPhysicalGpus() {
    published.slice(
        null, slice("a", 1, parts(0, 7), parts(1, 7), parts(2, 6), parts(3, 6), tainted(3, 6)));
    List<DeviceRef> taken = List.of(new DeviceRef("gpu-7", "gpu-1-mig-3"));
    published.claim(null, new SeenClaim("others/claim", null, List.of(), taken));

    NodeReport node = shown();

    assertThat(node.gpus())
        .extracting(Gpu::serial, Gpu::state)
        .containsExactly(
            tuple(uuid(0), GpuState.HEALTHY),
            tuple(uuid(1), GpuState.UNKNOWN),
            tuple(uuid(2), GpuState.UNKNOWN),
            tuple(uuid(3), GpuState.FAILED));
    assertThat(node.gpuModel()).isEqualTo("H100");
    assertThat(node.gpuMemoryMiB()).isEqualTo(81_559);
    assertThat(node.labels()).containsEntry(GpuOffer.LABEL, "slices-1g.10gb");
    assertThat(node.allocatable().gpuMilli()).isEqualTo(14 * 125);
    assertThat(node.foreign().gpuMilli()).isEqualTo(125);
  }

  private static String tainted(int gpu, int number) {
    return part(gpu, number)
        .replace("{name", "{taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}], name");
  }

  /** Fails when a faulty slice moves the holder of another slice. */
  @Test
  void holderOfASliceHoldsAPartOfItsGpuAndMovesOffItsOwnSliceOnly() {
    SeenSlice healthy = slice("a", 1, parts(0, 7));
    published.slice(null, healthy);
    SeenClaim.Owner owner = new SeenClaim.Owner(ATTEMPT, KEY);
    List<DeviceRef> mine = List.of(new DeviceRef("gpu-7", "gpu-0-mig-1"));
    published.claim(null, new SeenClaim("fairlead-nlp/claim", owner, List.of(uuid(0)), mine));

    assertThat(published.with(ATTEMPT, running(null)).devices())
        .containsExactly(new HeldDevice(uuid(0), true));
    SeenSlice other = slice("a", 1, parts(0, 6), tainted(0, 6));
    published.slice(healthy, other);
    assertThat(published.with(ATTEMPT, running(null)).reason()).isNull();
    published.slice(other, slice("a", 1, part(0, 0), tainted(0, 1)));
    assertThat(published.with(ATTEMPT, running(null)).reason())
        .isEqualTo("UnhealthyGpu " + uuid(0));
  }

  /** Fails when a node counts a GPU twice, or offers slices that no claim of a job can select. */
  @Test
  void slicesAreOmittedNextToWholeGpusAndWithoutTheirClass() {
    published.slice(null, slice("a", 1, parts(0, 7), gpu(0), gpu(1)));
    assertThat(shown().gpus()).extracting(Gpu::serial).containsExactly(uuid(0), uuid(1));
    assertThat(shown().labels()).doesNotContainKey(GpuOffer.LABEL);

    ResourceSlice sliced = read("gpu-7", "a", 1, 1, parts(0, 7));
    assertThat(SeenSlice.of(sliced, PodDevices.claimed(DRIVER, DRIVER)).gpus()).isEmpty();
  }

  /** Fails when Fairlead places slices on a model that is not known to have the profile. */
  @Test
  void slicesOfAnUnknownProfileAreNotOffered() {
    published.slice(null, slice("a", 1, parts(0, 7).replace("1g.10gb", "9g.1gb")));

    assertThat(shown().gpus()).isEmpty();
    assertThat(shown().allocatable().gpuMilli()).isZero();
    assertThat(GpuOffer.trouble(List.of(shown())).orElseThrow()).contains("are not offered");
  }

  private void claimed(DeviceRef slice) {
    SeenClaim.Owner owner = new SeenClaim.Owner(ATTEMPT, KEY);
    published.claim(
        null, new SeenClaim("fairlead-nlp/claim", owner, List.of(uuid(0)), List.of(slice)));
  }

  /** Fails when a program stays on a slice that its driver withdrew because of a fault. */
  @Test
  void holderOfAWithdrawnSliceMovesAndTheHolderOfARenamedSliceRemains() {
    SeenSlice healthy = slice("a", 1, parts(0, 7), parts(1, 7));
    published.slice(null, healthy);
    claimed(new DeviceRef("gpu-7", "gpu-0-mig-6"));
    SeenSlice other = slice("a", 2, parts(0, 7).replace(part(0, 0) + ", ", ""), parts(1, 7));
    published.slice(healthy, other);
    assertThat(published.with(ATTEMPT, running(null)).reason()).as("of another holder").isNull();

    SeenSlice renamed = slice("a", 3, parts(0, 7).replace("gpu-0-mig", "mig"), parts(1, 7));
    published.slice(other, renamed);
    assertThat(published.with(ATTEMPT, running(null)).reason()).as("renamed").isNull();

    published.slice(renamed, slice("a", 4, parts(0, 6), parts(1, 7)));
    assertThat(published.with(ATTEMPT, running(null)).reason())
        .isEqualTo("UnhealthyGpu " + uuid(0));
  }

  /** Fails when a job waits for a GPU of which another program has a slice. */
  @Test
  void foreignSliceHoldsTheWholeGpuThatIsPublishedNextToIt() {
    published.slice(null, slice("a", 1, gpu(0), parts(0, 7), gpu(1), parts(1, 7)));
    List<DeviceRef> taken = List.of(new DeviceRef("gpu-7", "gpu-1-mig-3"));
    published.claim(null, new SeenClaim("others/claim", null, List.of(), taken));

    assertThat(shown().gpus())
        .extracting(Gpu::serial, Gpu::state)
        .containsExactly(tuple(uuid(0), GpuState.HEALTHY), tuple(uuid(1), GpuState.UNKNOWN));
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(2000);
    assertThat(shown().foreign().gpuMilli()).isEqualTo(1000);
  }

  /** Fails when another program gets a slice of a quarantined GPU that is also published whole. */
  @Test
  void quarantineConcernsAGpuAndItsSlices() {
    published.slice(null, slice("a", 1, gpu(0), parts(0, 7), gpu(1)));

    assertThat(published.devices("gpu-7", uuid(0)))
        .hasSize(8)
        .contains(new DeviceRef("gpu-7", "gpu-0"), new DeviceRef("gpu-7", "gpu-0-mig-6"));
    assertThat(published.devices("gpu-7", uuid(1)))
        .containsExactly(new DeviceRef("gpu-7", "gpu-1"));
  }
}
