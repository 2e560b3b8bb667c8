/** Twins for tests. */
@NullMarked
package dev.fairlead.campaign.memory;

import org.jspecify.annotations.NullMarked;
