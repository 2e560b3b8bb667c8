/** Campaigns over HTTP. */
@NullMarked
package dev.fairlead.campaign.web;

import org.jspecify.annotations.NullMarked;
