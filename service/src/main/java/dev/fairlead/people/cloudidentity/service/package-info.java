/** Use cases of cloud identities. */
@NullMarked
package dev.fairlead.people.cloudidentity.service;

import org.jspecify.annotations.NullMarked;
