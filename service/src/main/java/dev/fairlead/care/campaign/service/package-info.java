/** Use cases of campaigns, and the loop that runs them. */
@NullMarked
package dev.fairlead.care.campaign.service;

import org.jspecify.annotations.NullMarked;
