package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fails when a label maps to a wrong model or to none. */
class GpuCatalogueTest {
  @AfterEach
  void shipped() {
    GpuCatalogue.extend(List.of());
  }

  @ParameterizedTest
  @CsvSource({
    "NVIDIA-H100-80GB-HBM3, 0, H100",
    "NVIDIA-H100-PCIe, 0, H100",
    "NVIDIA-H100-NVL, 0, H100-94GB",
    "NVIDIA-H200-NVL, 0, H200",
    "NVIDIA-GH200-480GB, 97871, GH200",
    "NVIDIA-GB200, 189471, GB200",
    "NVIDIA-A10G, 0, A10G",
    "NVIDIA-A10, 0, A10",
    "NVIDIA-L40S, 0, L40S",
    "NVIDIA-L40, 0, L40",
    "NVIDIA-RTX-6000-Ada-Generation, 0, RTX-6000-ADA",
    "Quadro-RTX-6000, 0, QUADRO-RTX-6000",
    "Tesla-V100-SXM2-16GB, 16384, V100-16GB",
    "Tesla-V100-PCIE-32GB, 32768, V100-32GB",
    "A100-SXM4-40GB, 40537, A100-40GB",
    "A100-PCIE-40GB, 0, A100-40GB",
    "NVIDIA-A100-PCIE-80GB, 0, A100-80GB",
    "NVIDIA-A100-80GB-PCIe, 0, A100-80GB",
    "nvidia-tesla-a100, 0, A100-40GB",
    "nvidia-a100-80gb, 0, A100-80GB",
    "nvidia-h100-mega-80gb, 0, H100",
    "nvidia-h200-141gb, 0, H200",
    "H100_NVLINK_80GB, 0, H100",
    "A100_PCIE_80GB, 0, A100-80GB",
    "a100, 81920, A100-80GB",
    "a100, 40960, A100-40GB",
    "gpu-h100-sxm, 0, H100",
    "p5.48xlarge, 0, H100",
    "p5en.48xlarge, 0, H200",
    "p4d.24xlarge, 0, A100-40GB",
    "a2-highgpu-8g, 0, A100-40GB",
    "g2-standard-4, 0, L4",
    "Standard_ND96isr_H100_v5, 0, H100",
    "BM.GPU.H100.8, 0, H100",
    "BM.GPU4.8, 0, A100-40GB",
    "Standard_ND96asr_v4, 0, A100-40GB",
    "Standard_NC6s_v3, 0, V100-16GB",
    "Standard_ND40rs_v2, 0, V100-32GB",
    "gpu-h100x8-640gb, 0, H100",
    "gx3d-160x1792x8h100, 0, H100",
    "gx3-24x120x1l40s, 0, L40S",
    "gd-8xh100ib-i128, 0, H100",
    "Tesla-V100S-PCIE-32GB, 32768, V100-32GB",
    "NVIDIA-A100X, 81920, A100X",
    "NVIDIA-GH200-144G-HBM3e, 147456, GH200-144GB"
  })
  void labelOfAnySourceNamesItsModel(String label, long memoryMiB, String model) {
    assertThat(GpuCatalogue.read(label, memoryMiB)).map(GpuModel::name).contains(model);
  }

  @ParameterizedTest
  @CsvSource({
    "Unheard-Of",
    "n1-standard-8",
    "m5.large",
    "NVIDIA-A100-SXM-64GB",
    "gx2-8x64x1",
    "''"
  })
  void labelWithoutAModelIsNotGuessed(String label) {
    assertThat(GpuCatalogue.read(label, 65_536)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "h100, H100",
    "a100, A100",
    "A100-80gb, A100-80GB",
    "NVIDIA-A100-SXM4-40GB, A100-40GB",
    "NVIDIA-A100-PCIE-80GB, A100-80GB",
    "nvidia-tesla-a100, A100-40GB",
    "NVIDIA-A100-SXM4, NVIDIA-A100-SXM4",
    "NVIDIA-H200-NVL, H200",
    "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb, NVIDIA-A100-SXM4-40GB-MIG-1g.5gb",
    "Tesla-T4-SHARED, Tesla-T4-SHARED",
    "NVIDIA-A10-4Q, NVIDIA-A10-4Q",
    "Acme-9, Acme-9"
  })
  void requestIsNormalizedToTheNameOfNodes(String asked, String model) {
    // Fails when a copied product label requests a model that no node has.
    assertThat(GpuCatalogue.asked(asked)).isEqualTo(model);
  }

  @ParameterizedTest
  @CsvSource({
    "A100-40GB, A100, true",
    "V100-16GB, V100, true",
    "A100-40GB, 40GB, false",
    "NVIDIA-X900-PCIe, X900, true",
    "NVIDIA-X900-PCIe, X900-PCIe, true",
    "NVIDIA-X900-PCIe, 900, false",
    "NVIDIA-X900-PCIe, NVIDIA, true",
    "GH200, H200, false",
    "L40S, L40, false"
  })
  void nameMatchesItsFamilyAndAnUnlistedProductMatchesItsWords(
      String model, String asked, boolean answers) {
    assertThat(GpuModel.answers(model, asked)).isEqualTo(answers);
  }

  @Test
  void anOperatorAddsAndReplacesModels() {
    String head = "model,product,memory_mib,mig,keys,machines";
    GpuCatalogue.extend(List.of("# ours", head, "X900,,64000,,x900,xx1.", "L4,,1,A30,l4,"));
    assertThat(GpuCatalogue.read("NVIDIA-X900-PCIe", 0)).map(GpuModel::name).contains("X900");
    assertThat(GpuCatalogue.read("xx1.large", 0)).map(GpuModel::product).contains("X900");
    assertThat(GpuCatalogue.byName("L4")).map(GpuModel::memoryMiB).contains(1L);
    assertThat(MigGeometry.of("L4")).isPresent();
    assertThat(GpuCatalogue.byName("H100")).isPresent();

    GpuCatalogue.extend(
        List.of(
            "label",
            "example.com/gpu",
            "geometry,slices,profile,size,starts",
            "X9,4,1g.24gb,1,0 1 2 3",
            head,
            "X900,,98304,X9,x900,"));
    assertThat(GpuCatalogue.labels())
        .startsWith("example.com/gpu", "cloud.google.com/gke-accelerator");
    assertThat(MigGeometry.of("X900")).map(MigGeometry::slices).contains(4);
    assertThat(MigGeometry.of("H100")).isPresent();
    String geometries = "geometry,slices,profile,size,starts";
    for (String bad :
        List.of("X9,4,1g.24gb,1,", "X9,9,1g.24gb,1,0", ",4,1g.24gb,1,0", "X9,4,small,1,0")) {
      assertThatThrownBy(() -> GpuCatalogue.extend(List.of(geometries, bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(bad);
    }
    assertThatThrownBy(() -> GpuCatalogue.extend(List.of("X900,,1,,x900,")))
        .hasMessageContaining("columns");

    for (String bad :
        List.of("X900,,64000,,x900", "X900,,much,,x900,", "X900,,1,Z1,x900,", ",,1,,x900,")) {
      assertThatThrownBy(() -> GpuCatalogue.extend(List.of(head, bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(bad);
    }
    assertThatThrownBy(() -> GpuCatalogue.extend(List.of(head, "A,,1,,a,", "A,,1,,a,")))
        .hasMessageContaining("two rows");
  }

  @Test
  void productOfEachModelNamesIt() {
    assertThat(GpuCatalogue.models())
        .allSatisfy(model ->
            assertThat(GpuCatalogue.read(model.product(), model.memoryMiB())).contains(model));
  }
}
