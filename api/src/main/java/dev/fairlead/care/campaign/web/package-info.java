/** Campaigns over HTTP. */
@NullMarked
package dev.fairlead.care.campaign.web;

import org.jspecify.annotations.NullMarked;
