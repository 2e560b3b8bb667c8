/** Cloud identities over REST. */
@NullMarked
package dev.fairlead.people.cloudidentity.web;

import org.jspecify.annotations.NullMarked;
