/** Campaigns on PostgreSQL. */
@NullMarked
package dev.fairlead.care.campaign.postgres;

import org.jspecify.annotations.NullMarked;
