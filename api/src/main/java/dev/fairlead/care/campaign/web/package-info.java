/** REST endpoints of campaigns. */
@NullMarked
package dev.fairlead.care.campaign.web;

import org.jspecify.annotations.NullMarked;
