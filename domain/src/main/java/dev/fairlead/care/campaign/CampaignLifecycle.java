package dev.fairlead.care.campaign;

import static dev.fairlead.care.campaign.CampaignState.ABORTED;
import static dev.fairlead.care.campaign.CampaignState.DONE;
import static dev.fairlead.care.campaign.CampaignState.PAUSED;
import static dev.fairlead.care.campaign.CampaignState.RUNNING;

import dev.fairlead.kernel.lifecycle.TransitionTable;

/** The state machine of a campaign. Terminal states are final. */
public final class CampaignLifecycle {
  public static final TransitionTable<CampaignState, CampaignEvent> TABLE =
      TransitionTable.of(CampaignState.class, CampaignEvent.class)
          .on(CampaignEvent.PAUSE, PAUSED, RUNNING)
          .on(CampaignEvent.RESUME, RUNNING, PAUSED)
          .on(CampaignEvent.ABORT, ABORTED, RUNNING, PAUSED)
          .on(CampaignEvent.FINISH, DONE, RUNNING, PAUSED)
          .build();

  private CampaignLifecycle() {}
}
