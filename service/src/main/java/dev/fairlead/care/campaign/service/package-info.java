/** Use cases of campaigns, and the loop that carries them on. */
@NullMarked
package dev.fairlead.care.campaign.service;

import org.jspecify.annotations.NullMarked;
