package dev.fairlead.care.health.dcgm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The shipped series, and tables that cannot be read. */
class SeriesTableTest {
  private static final String HEAD = "series,code,first,from,mask,minutes\n";

  @Test
  void everyNameOfASeriesHasItsRule() {
    SeriesRule rule = SeriesTable.CURRENT.find("DCGM_FI_DEV_ROW_REMAP_FAILED").orElseThrow();

    assertThat(rule.name()).isEqualTo("DCGM_FI_DEV_ROW_REMAP_FAILURE");
    assertThat(rule).isEqualTo(SeriesTable.CURRENT.find(rule.name()).orElseThrow());
    assertThat(SeriesTable.CURRENT.find("DCGM_FI_DEV_FB_USED")).isEmpty();
  }

  @Test
  void unreadableRowIsNamed() {
    assertThatThrownBy(() -> SeriesTable.parse(HEAD + "A,DCGM_FR_NONE,base,1,,0"))
        .hasMessageContaining("has no DCGM_FR_NONE");
    assertThatThrownBy(() -> SeriesTable.parse(HEAD + "A,xid,always,1,,0"))
        .hasMessageContaining("always is neither");
    assertThatThrownBy(() -> SeriesTable.parse(HEAD + "A,xid,base,1,0"))
        .hasMessageContaining("5 cells");
    assertThatThrownBy(() -> SeriesTable.parse(HEAD + "A|B,xid,base,1,,0\nB,xid,base,1,,0"))
        .hasMessageContaining("B has two rows");
  }
}
