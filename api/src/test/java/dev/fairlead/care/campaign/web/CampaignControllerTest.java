package dev.fairlead.care.campaign.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.service.CampaignCommands;
import dev.fairlead.care.campaign.service.CampaignNodeView;
import dev.fairlead.care.campaign.service.CampaignQueries;
import dev.fairlead.care.campaign.service.NewCampaignBuilder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Pages of the nodes of a campaign. */
class CampaignControllerTest {
  private static final int NODES = 6;
  private static final int FORGOTTEN = 2;

  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor operator = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final CampaignCommands commands =
      new CampaignCommands(
          stores.transactions(),
          stores.campaigns(),
          stores.inventory(),
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final CampaignController controller =
      new CampaignController(
          commands,
          new CampaignQueries(stores.campaigns(), stores.inventory()),
          new PageTokens("0123456789abcdef".getBytes(UTF_8)));

  @BeforeEach
  void aRequest() {
    RequestContextHolder.setRequestAttributes(
        new ServletRequestAttributes(new MockHttpServletRequest()));
  }

  @AfterEach
  void noRequest() {
    RequestContextHolder.resetRequestAttributes();
  }

  /** Fails when a page repeats nodes of the page before, because earlier nodes were deleted. */
  @Test
  void pagesOfAPartlyDeletedCampaignHaveEachNodeOnce() {
    Campaign campaign = campaign();
    Instant now = stores.clock().instant();
    stores.campaigns().update(campaign.over(now));
    int _ = stores.campaigns().forget(now.plusSeconds(1), FORGOTTEN);

    assertThat(names(campaign)).containsExactly("node-3", "node-4", "node-5", "node-6");
  }

  private Campaign campaign() {
    int _ =
        world.report(
            IntStream.rangeClosed(1, NODES)
                .mapToObj(number -> NodeReports.node("node-" + number).gpus(1).build())
                .toArray(NodeReport[]::new));
    return commands.create(
        operator,
        NewCampaignBuilder.builder()
            .name("kernel")
            .reason("new kernel")
            .cluster(world.cluster().name())
            .pool(null)
            .nodes(null)
            .atOnce(1)
            .percent(false)
            .drainWithin(null)
            .atDeadline(CampaignDeadline.SKIP)
            .mostUnhealthy(0)
            .soak(Duration.ZERO)
            .build(),
        null,
        false);
  }

  /** The names on all pages of two nodes. */
  private List<String> names(Campaign campaign) {
    List<String> names = new ArrayList<>();
    @Nullable String token = null;
    do {
      Page<CampaignNodeView> page =
          Objects.requireNonNull(
              controller.nodes(operator, campaign.id().text(), 2, token).getBody());
      page.items().forEach(node -> names.add(node.name()));
      token = page.nextPageToken();
    } while (token != null && names.size() <= NODES);
    return names;
  }
}
