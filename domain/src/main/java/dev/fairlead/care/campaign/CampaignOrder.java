package dev.fairlead.care.campaign;

/** What an operator says of a whole campaign. */
public enum CampaignOrder {
  /** No more nodes begin; what is under way goes on. */
  PAUSE,
  /** It goes on. */
  RESUME,
  /** It is given up, and gives back what it took out of use. */
  ABORT;

  CampaignEvent event() {
    return switch (this) {
      case PAUSE -> CampaignEvent.PAUSE;
      case RESUME -> CampaignEvent.RESUME;
      case ABORT -> CampaignEvent.ABORT;
    };
  }
}
