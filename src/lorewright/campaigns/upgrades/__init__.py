"""What newer packs and rulesets would change for a campaign, and the turn that moves it to them."""
